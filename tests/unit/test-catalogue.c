/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The catalogue: complete rows, and when a control is promised or required. */
#include <config.h>

#include "control-catalogue.h"

#include "unit.h"
#include "value-case.h"

static void test_names (void **state)
{
  (void) state;
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const char *name = control_info (c)->name;
    const char *dot = strchr (name, '.');
    enum control found = CONTROL_COUNT;

    CHECK (strspn (name, "abcdefghijklmnopqrstuvwxyz_.") == strlen (name), "'%s' is not a name", name);
    CHECK (dot != NULL && dot != name && dot[1] != '\0' && strchr (dot + 1, '.') == NULL,
           "'%s' has not two parts", name);
    /* The search takes the first match, so another one of the same name would be found instead. */
    CHECK (control_find (name, &found) && found == c, "'%s' is found as %d, not %d", name, found, c);
  }
}

static void test_names_that_are_none (void **state)
{
  static const char *const names[] = {
    "", "*", "root", "root.", "root.read_only ", "Root.read_only", "limits.cpus", "filesystem.root"
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    enum control found = CONTROL_COUNT;

    CHECK (!control_find (names[i], &found) && found == CONTROL_COUNT, "'%s' is found", names[i]);
  }
}

static void test_nearest (void **state)
{
  (void) state;
  assert_string_equal (control_nearest ("root.readonly"), "root.read_only");
  assert_string_equal (control_nearest ("limits.cpus"), "limits.cpu");
  assert_string_equal (control_nearest ("process.secomp"), "process.seccomp");
  assert_string_equal (control_nearest ("network.mode"), "network.mode");
  assert_null (control_nearest ("everything"));
  assert_null (control_nearest (""));
}

static void test_sentences (void **state)
{
  (void) state;
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct control_info *info = control_info (c);
    size_t end = strlen (info->promise) - 1;

    CHECK (info->promise[end] == '.' && strchr (info->promise, '\n') == NULL, "%s: no sentence", info->name);
    CHECK (strchr (info->promise, '.') == info->promise + end, "%s: more than one sentence", info->name);
    CHECK (strlen (info->observed) > 10 && info->observed[strlen (info->observed) - 1] != '.',
           "%s: nobody knows how it is observed", info->name);
  }
}

/* Every setting but the two about controls stands in exactly one row, and the list ends. */
static void test_settings_stand_once (void **state)
{
  unsigned seen[SETTING_COUNT] = { 0 };

  (void) state;
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    const struct control_info *info = control_info (c);
    size_t i = 0;

    while (i < ARRAY_LEN (info->settings) && info->settings[i] != SETTING_COUNT) {
      assert_int_equal (control_of_setting (info->settings[i]), c);
      seen[info->settings[i++]]++;
    }
    CHECK (i < ARRAY_LEN (info->settings), "%s: the list of settings has no end", info->name);
  }
  for (enum setting s = 0; s < SETTING_COUNT; s++) {
    unsigned expected = s == SETTING_REQUIRE || s == SETTING_OPTIONAL ? 0 : 1;

    CHECK (seen[s] == expected, "%s stands in %u rows, not %u", setting_info (s)->key, seen[s], expected);
  }
}

static void complete (struct settings *settings)
{
  assert_int_equal (settings_complete (settings, NULL), 0);
}

static const enum control not_by_default[] = {
  CONTROL_APPARMOR,      CONTROL_TOOLS,          CONTROL_PATHS_HIDDEN, CONTROL_LIMITS_DISK,
  CONTROL_SECRETS_FILES, CONTROL_BUDGET_SESSION, CONTROL_LIMITS_IDLE,  CONTROL_LIMITS_OUTPUT_RATE,
};

static bool is_among (enum control control, const enum control *list, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (list[i] == control)
      return true;
  return false;
}

/* Settings that say nothing promise all but what has to be asked for, and require all of it. */
static void test_defaults_promise_and_require (void **state)
{
  cleanup_settings struct settings settings = { 0 };

  (void) state;
  complete (&settings);
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    bool expected = !is_among (c, not_by_default, ARRAY_LEN (not_by_default));

    CHECK (control_is_promised (c, &settings) == expected, "%s: promised is not %d", control_info (c)->name,
           expected);
    CHECK (control_is_required (c, &settings) == expected, "%s: required is not %d", control_info (c)->name,
           expected);
  }
}

/* One setting changes, and exactly one control's promise with it. */
static void test_promises (void **state)
{
  static const struct {
    enum setting setting;
    const char *text;
    enum control control;
    bool promised;
  } rows[] = {
    { SETTING_ISOLATION_TYPE, "vm", CONTROL_ISOLATION_TYPE, true },
    { SETTING_ISOLATION_TYPE, "firejail", CONTROL_ISOLATION_TYPE, true },
    { SETTING_ISOLATION_IMAGE, "debian:12", CONTROL_ISOLATION_TYPE, true },
    { SETTING_USER, "1:1", CONTROL_USER_NON_ROOT, true },
    { SETTING_USER, "0:0", CONTROL_USER_NON_ROOT, false },
    { SETTING_USER, "0:1", CONTROL_USER_NON_ROOT, false },
    { SETTING_USER, "1:0", CONTROL_USER_NON_ROOT, false },
    { SETTING_USER, "(conflict)", CONTROL_USER_NON_ROOT, false },
    { SETTING_USER_NAMESPACE, "host", CONTROL_USER_NAMESPACE, false },
    { SETTING_CAPABILITIES, "CAP_SYS_ADMIN", CONTROL_CAPABILITIES, true },
    { SETTING_NO_NEW_PRIVILEGES, "false", CONTROL_NO_NEW_PRIVILEGES, false },
    { SETTING_SECCOMP_LIST, "default", CONTROL_SECCOMP, true },
    { SETTING_SECCOMP_ALLOW, "keyctl", CONTROL_SECCOMP, true },
    { SETTING_APPARMOR, "tyrum-hardened", CONTROL_APPARMOR, true },
    { SETTING_APPARMOR, "(lifted)", CONTROL_APPARMOR, false },
    { SETTING_TOOLS, "/usr/bin/git", CONTROL_TOOLS, true },
    { SETTING_TOOLS, "", CONTROL_TOOLS, true },
    { SETTING_TOOLS, "(lifted)", CONTROL_TOOLS, false },
    { SETTING_ROOT, "writable-layer", CONTROL_ROOT_READ_ONLY, false },
    { SETTING_WORKSPACE, "read-write", CONTROL_WORKSPACE_BOUNDED, true },
    { SETTING_TMP, "1G", CONTROL_TMP_BOUNDED, true },
    { SETTING_HIDE, "master.key", CONTROL_PATHS_HIDDEN, true },
    { SETTING_HIDE, "", CONTROL_PATHS_HIDDEN, false },
    { SETTING_NOEXEC, "/tmp", CONTROL_MOUNTS_NOSUID_NODEV, true },
    { SETTING_NETWORK_MODE, "allow", CONTROL_NETWORK_MODE, true },
    { SETTING_NETWORK_MODE, "engine", CONTROL_NETWORK_MODE, true },
    { SETTING_NETWORK_MODE, "host", CONTROL_NETWORK_MODE, false },
    { SETTING_MEMORY, "2G", CONTROL_LIMITS_MEMORY, true },
    { SETTING_MEMORY, "(lifted)", CONTROL_LIMITS_MEMORY, false },
    { SETTING_PIDS, "(lifted)", CONTROL_LIMITS_PIDS, false },
    { SETTING_CPUS, "(lifted)", CONTROL_LIMITS_CPU, false },
    { SETTING_OPEN_FILES, "(lifted)", CONTROL_LIMITS_OPEN_FILES, false },
    { SETTING_WALL, "(lifted)", CONTROL_LIMITS_WALL, false },
    { SETTING_OUTPUT, "(lifted)", CONTROL_LIMITS_OUTPUT, false },
    { SETTING_IDLE, "10m", CONTROL_LIMITS_IDLE, true },
    { SETTING_IDLE, "(lifted)", CONTROL_LIMITS_IDLE, false },
    { SETTING_OUTPUT_RATE, "1M", CONTROL_LIMITS_OUTPUT_RATE, true },
    { SETTING_OUTPUT_RATE, "(lifted)", CONTROL_LIMITS_OUTPUT_RATE, false },
    { SETTING_DISK, "1G", CONTROL_LIMITS_DISK, true },
    { SETTING_ENVIRONMENT_PASS, "LANG", CONTROL_ENVIRONMENT_CLEAN, true },
    { SETTING_SECRETS, "key=/etc/key", CONTROL_SECRETS_FILES, true },
    { SETTING_SECRETS, "", CONTROL_SECRETS_FILES, false },
    { SETTING_BUDGET_RUNS, "0", CONTROL_BUDGET_SESSION, true },
    { SETTING_BUDGET_CPU, "1s", CONTROL_BUDGET_SESSION, true },
    { SETTING_BUDGET_WALL, "1s", CONTROL_BUDGET_SESSION, true },
    { SETTING_BUDGET_EGRESS, "1K", CONTROL_BUDGET_SESSION, true },
    { SETTING_BUDGET_TOKENS, "100", CONTROL_BUDGET_SESSION, true },
    { SETTING_BUDGET_TOKENS, "(lifted)", CONTROL_BUDGET_SESSION, false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_settings struct settings settings = { 0 };

    settings_case (&settings, rows[i].setting, rows[i].text);
    complete (&settings);
    for (enum control c = 0; c < CONTROL_COUNT; c++) {
      bool expected =
          c == rows[i].control ? rows[i].promised : !is_among (c, not_by_default, ARRAY_LEN (not_by_default));

      CHECK (control_is_promised (c, &settings) == expected, "%s '%s': %s is not %d",
             setting_info (rows[i].setting)->key, rows[i].text, control_info (c)->name, expected);
    }
  }
}

static void test_no_sandbox_no_promise (void **state)
{
  cleanup_settings struct settings settings = { 0 };

  (void) state;
  settings_case (&settings, SETTING_ISOLATION_TYPE, "disabled");
  settings_case (&settings, SETTING_REQUIRE, "*");
  settings_case (&settings, SETTING_SECRETS, "key=/etc/key");
  complete (&settings);
  for (enum control c = 0; c < CONTROL_COUNT; c++) {
    cleanup_free char *text = control_value_text (c, &settings);

    CHECK (!control_is_promised (c, &settings), "%s is promised", control_info (c)->name);
    CHECK (!control_is_required (c, &settings), "%s is required", control_info (c)->name);
    assert_string_equal (text, "not promised");
  }
}

static void test_required (void **state)
{
  static const struct {
    const char *require, *optional;
    bool memory, root, apparmor; /* the last is not promised */
  } rows[] = {
    { "*", "", true, true, false },
    { "*", "limits.memory", false, true, false },
    { "*", "limits.memory,root.read_only", false, false, false },
    { "limits.memory", "", true, false, false },
    { "limits.memory", "limits.memory", true, false, false }, /* optional only weakens "*" */
    { "limits.memory,process.apparmor", "", true, false, false },
    { "", "", false, false, false },
    { "", "limits.memory", false, false, false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_settings struct settings settings = { 0 };

    settings_case (&settings, SETTING_REQUIRE, rows[i].require);
    settings_case (&settings, SETTING_OPTIONAL, rows[i].optional);
    complete (&settings);
    CHECK (control_is_required (CONTROL_LIMITS_MEMORY, &settings) == rows[i].memory, "row %zu: memory", i);
    CHECK (control_is_required (CONTROL_ROOT_READ_ONLY, &settings) == rows[i].root, "row %zu: root", i);
    CHECK (control_is_required (CONTROL_APPARMOR, &settings) == rows[i].apparmor, "row %zu: apparmor", i);
  }
}

static void test_value_texts (void **state)
{
  static const struct {
    enum control control;
    enum setting setting;
    const char *text, *shown;
  } rows[] = {
    { CONTROL_FDS_CLOSED, SETTING_COUNT, NULL, "always" },
    { CONTROL_LIMITS_MEMORY, SETTING_COUNT, NULL, "1G" },
    { CONTROL_LIMITS_MEMORY, SETTING_MEMORY, "(lifted)", "not promised" },
    { CONTROL_CAPABILITIES, SETTING_COUNT, NULL, "(none)" },
    { CONTROL_ISOLATION_TYPE, SETTING_COUNT, NULL, "container" },
    { CONTROL_ISOLATION_TYPE, SETTING_ISOLATION_IMAGE, "debian:12", "container; image: debian:12" },
    { CONTROL_SECCOMP, SETTING_SECCOMP_ALLOW, "keyctl,bpf", "strict; allow: bpf, keyctl" },
    { CONTROL_WORKSPACE_BOUNDED, SETTING_MOUNTS, "/a=/x", "none; mounts: /x on /a (read-only)" },
    { CONTROL_ENVIRONMENT_CLEAN, SETTING_ENVIRONMENT_SET, "A=1", "(none); set: A=1" },
    { CONTROL_NETWORK_MODE, SETTING_COUNT, NULL, "none" },
    { CONTROL_BUDGET_SESSION, SETTING_COUNT, NULL, "not promised" },
    { CONTROL_BUDGET_SESSION, SETTING_BUDGET_RUNS, "0", "0" },
    { CONTROL_BUDGET_SESSION, SETTING_BUDGET_CPU, "5m", "cpu: 5m" },
    { CONTROL_BUDGET_SESSION, SETTING_BUDGET_TOKENS, "100", "tokens: 100" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_settings struct settings settings = { 0 };
    cleanup_free char *shown = NULL;

    if (rows[i].setting != SETTING_COUNT)
      settings_case (&settings, rows[i].setting, rows[i].text);
    complete (&settings);
    shown = control_value_text (rows[i].control, &settings);
    CHECK (str_equal (shown, rows[i].shown), "%s is shown as '%s', not '%s'",
           control_info (rows[i].control)->name, shown, rows[i].shown);
  }
}

static void test_value_text_of_a_whole_budget (void **state)
{
  cleanup_settings struct settings settings = { 0 };
  cleanup_free char *shown = NULL;

  (void) state;
  settings_case (&settings, SETTING_BUDGET_RUNS, "10");
  settings_case (&settings, SETTING_BUDGET_CPU, "5m");
  settings_case (&settings, SETTING_BUDGET_WALL, "1h");
  settings_case (&settings, SETTING_BUDGET_EGRESS, "0");
  settings_case (&settings, SETTING_BUDGET_TOKENS, "7");
  complete (&settings);
  shown = control_value_text (CONTROL_BUDGET_SESSION, &settings);
  assert_string_equal (shown, "10; cpu: 5m; wall: 1h; egress: 0; tokens: 7");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_names),
  cmocka_unit_test (test_names_that_are_none),
  cmocka_unit_test (test_nearest),
  cmocka_unit_test (test_sentences),
  cmocka_unit_test (test_settings_stand_once),
  cmocka_unit_test (test_defaults_promise_and_require),
  cmocka_unit_test (test_promises),
  cmocka_unit_test (test_no_sandbox_no_promise),
  cmocka_unit_test (test_required),
  cmocka_unit_test (test_value_texts),
  cmocka_unit_test (test_value_text_of_a_whole_budget),
};

UNIT_MAIN (cases)
