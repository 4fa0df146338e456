/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values: reading, adding, copying, comparing, showing, and what holds when nobody says anything. */
#include <config.h>

#include "control-value.h"

#include <errno.h>

#include "base-limits.h"
#include "unit.h"
#include "value-case.h"

static void test_parse (void **state)
{
  static const struct {
    enum setting setting;
    const char *text, *shown;
  } rows[] = {
    { SETTING_NO_NEW_PRIVILEGES, "true", "true" },
    { SETTING_NO_NEW_PRIVILEGES, "false", "false" },
    { SETTING_ROOT, "writable-layer", "writable-layer" },
    { SETTING_NETWORK_MODE, "host", "host" },
    { SETTING_MEMORY, "1048576", "1M" },
    { SETTING_MEMORY, "9223372036854775807", "9223372036854775807" },
    { SETTING_TMP, "4K", "4K" },
    { SETTING_PIDS, "1", "1" },
    { SETTING_PIDS, "4194304", "4194304" },
    { SETTING_CPUS, "0.01", "0.01" },
    { SETTING_CPUS, "1.50", "1.5" },
    { SETTING_CPUS, "1024", "1024" },
    { SETTING_OPEN_FILES, "16", "16" },
    { SETTING_WALL, "1ms", "1ms" },
    { SETTING_WALL, "60s", "1m" },
    { SETTING_WALL, "720h", "720h" },
    { SETTING_OUTPUT, "0", "0" },
    { SETTING_IDLE, "90s", "90s" },
    { SETTING_OUTPUT_RATE, "8M", "8M" },
    { SETTING_BUDGET_CPU, "0s", "0ms" },
    { SETTING_USER, "0:0", "0:0" },
    { SETTING_USER, "4294967294:1", "4294967294:1" },
    { SETTING_SECCOMP_LIST, "lists/own.json", "lists/own.json" },
    { SETTING_APPARMOR, "tyrum-hardened", "tyrum-hardened" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_value struct value value = { 0 };
    cleanup_error struct error err = { 0 };
    cleanup_free char *shown = NULL;

    CHECK (value_parse (rows[i].setting, rows[i].text, &value, &err) == 0, "'%s' is refused: %s",
           rows[i].text, error_text (&err));
    assert_true (value_is_set (&value));
    shown = value_text (rows[i].setting, &value);
    assert_string_equal (shown, rows[i].shown);
  }
}

static void test_refusals (void **state)
{
  static const struct {
    enum setting setting;
    const char *text, *message;
  } rows[] = {
    { SETTING_NO_NEW_PRIVILEGES, "yes", "'yes' is not true or false" },
    { SETTING_NO_NEW_PRIVILEGES, "True", "'True' is not true or false" },
    { SETTING_NO_NEW_PRIVILEGES, "t", "'t' is not true or false" },
    { SETTING_NO_NEW_PRIVILEGES, "", "'' is not true or false" },
    { SETTING_ROOT, "readonly",
      "'readonly' is not one of 'read-only', 'writable-layer'; did you mean 'read-only'?" },
    { SETTING_ROOT, "", "'' is not one of 'read-only', 'writable-layer'" },
    { SETTING_NETWORK_MODE, "bridge", "'bridge' is not one of 'none', 'allow', 'engine', 'host'" },
    { SETTING_NETWORK_MODE, "None",
      "'None' is not one of 'none', 'allow', 'engine', 'host'; did you mean 'none'?" },
    { SETTING_PIDS, "-4", "'-4' is not a number from 1 to 4194304" },
    { SETTING_PIDS, "0", "'0' is not a number from 1 to 4194304" },
    { SETTING_PIDS, "4194305", "'4194305' is not a number from 1 to 4194304" },
    { SETTING_PIDS, "1.0", "'1.0' is not a number from 1 to 4194304" },
    { SETTING_PIDS, "1e2", "'1e2' is not a number from 1 to 4194304" },
    { SETTING_PIDS, "18446744073709551617", "'18446744073709551617' is not a number from 1 to 4194304" },
    { SETTING_MEMORY, "1048575", "'1048575' is not a size such as 512K, 64M or 1G of at least 1M" },
    { SETTING_MEMORY, "-1G", "'-1G' is not a size such as 512K, 64M or 1G of at least 1M" },
    { SETTING_MEMORY, "1GB", "'1GB' is not a size such as 512K, 64M or 1G of at least 1M" },
    { SETTING_TMP, "4095", "'4095' is not a size such as 512K, 64M or 1G of at least 4K" },
    { SETTING_CPUS, "0.009", "'0.009' is not a number such as 0.5 or 2 from 0.01 to 1024" },
    { SETTING_CPUS, "1024.001", "'1024.001' is not a number such as 0.5 or 2 from 0.01 to 1024" },
    { SETTING_WALL, "60", "'60' is not a duration such as 500ms, 60s or 5m from 1ms to 720h" },
    { SETTING_WALL, "0s", "'0s' is not a duration such as 500ms, 60s or 5m from 1ms to 720h" },
    { SETTING_WALL, "721h", "'721h' is not a duration such as 500ms, 60s or 5m from 1ms to 720h" },
    { SETTING_OPEN_FILES, "15", "'15' is not a number from 16 to 1048576" },
    { SETTING_USER, "root", "'root' is not numeric ids such as 10001:10001" },
    { SETTING_USER, "1000", "'1000' is not numeric ids such as 10001:10001" },
    { SETTING_USER, "4294967296:0", "'4294967296:0' is not numeric ids such as 10001:10001" },
    { SETTING_SECCOMP_LIST, "off", "'off' is not 'strict', 'default', or the path of a .json list" },
    { SETTING_CAPABILITIES, "CAP_KILL", "expected a list, found 'CAP_KILL'" },
    { SETTING_MOUNTS, "/opt", "expected a list, found '/opt'" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_value struct value value = { 0 };
    cleanup_error struct error err = { 0 };

    CHECK (value_parse (rows[i].setting, rows[i].text, &value, &err) == -EINVAL, "'%s' is taken",
           rows[i].text);
    assert_string_equal (error_text (&err), rows[i].message);
    assert_int_equal (value.state, VALUE_UNSET);
  }
}

/* A refused text leaves what was there before. */
static void test_refusal_keeps_the_value (void **state)
{
  static const struct {
    enum setting setting;
    const char *before, *refused;
  } rows[] = {
    { SETTING_NO_NEW_PRIVILEGES, "true", "no" },
    { SETTING_ROOT, "writable-layer", "nowhere" },
    { SETTING_PIDS, "12", "0" },
    { SETTING_USER, "7:8", "9:4294967295" },
    { SETTING_SECCOMP_LIST, "default", "unconfined" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_value struct value value = { 0 };
    cleanup_free char *shown = NULL;

    value_case (rows[i].setting, rows[i].before, &value);
    assert_int_equal (value_parse (rows[i].setting, rows[i].refused, &value, NULL), -EINVAL);
    shown = value_text (rows[i].setting, &value);
    assert_string_equal (shown, rows[i].before);
  }
}

static void test_parse_again_replaces (void **state)
{
  cleanup_value struct value value = { 0 };

  (void) state;
  value_case (SETTING_SECCOMP_LIST, "default", &value);
  value_case (SETTING_SECCOMP_LIST, "strict", &value);
  assert_string_equal (value.text, "strict");
}

static void test_add_makes_a_set (void **state)
{
  cleanup_value struct value value = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (value_add (SETTING_CAPABILITIES, "CAP_KILL", &value, &err), 0);
  assert_int_equal (value_add (SETTING_CAPABILITIES, "CAP_CHOWN", &value, &err), 0);
  assert_int_equal (value_add (SETTING_CAPABILITIES, "CAP_KILL", &value, &err), 0);
  assert_int_equal (value.set.count, 2);
  assert_string_equal (value.set.items[0], "CAP_CHOWN");
  assert_true (value_is_set (&value));
  assert_int_equal (value_add (SETTING_CAPABILITIES, "CAP_ALL", &value, &err), -EINVAL);
  assert_int_equal (value.set.count, 2);
}

static void test_add_has_a_limit (void **state)
{
  cleanup_value struct value value = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  for (unsigned i = 0; i < LIMIT_SET_ENTRIES; i++) {
    cleanup_free char *name = str_format ("VAR_%u", i);

    assert_int_equal (value_add (SETTING_ENVIRONMENT_PASS, name, &value, &err), 0);
  }
  assert_int_equal (value_add (SETTING_ENVIRONMENT_PASS, "ONE_MORE", &value, &err), -E2BIG);
  assert_string_equal (error_text (&err), "more than 1024 entries");
  assert_int_equal (value.set.count, LIMIT_SET_ENTRIES);
}

/* "*" holds every other entry of require, whichever comes first; optional refuses it. */
static void test_star (void **state)
{
  cleanup_value struct value first = { 0 }, last = { 0 }, optional = { 0 }, hidden = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  value_case (SETTING_REQUIRE, "*,root.read_only", &first);
  value_case (SETTING_REQUIRE, "root.read_only,limits.pids,*,limits.memory", &last);
  assert_int_equal (first.set.count, 1);
  assert_string_equal (first.set.items[0], "*");
  assert_true (value_equal (SETTING_REQUIRE, &first, &last));
  assert_int_equal (value_add (SETTING_OPTIONAL, "*", &optional, &err), -EINVAL);
  assert_string_equal (error_text (&err), "'*' would make every control optional; name them one by one");
  value_case (SETTING_HIDE, "*,a", &hidden); /* here it is a file's name */
  assert_int_equal (hidden.set.count, 2);
}

static struct grant grant_of (const char *name, const char *source)
{
  struct grant grant = { .name = strdup (name), .source = strdup (source) };

  assert_true (grant.name != NULL && grant.source != NULL);
  return grant;
}

static void test_grants_are_sorted (void **state)
{
  static const char *const names[] = { "/m", "/z", "/a", "/b", "/" };
  static const char *const sorted[] = { "/", "/a", "/b", "/m", "/z" };
  cleanup_value struct value value = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    struct grant grant = grant_of (names[i], "/src");

    assert_int_equal (value_add_grant (SETTING_MOUNTS, &grant, &value, &err), 0);
    assert_null (grant.name); /* taken */
  }
  assert_int_equal (value.grants.count, ARRAY_LEN (sorted));
  for (size_t i = 0; i < ARRAY_LEN (sorted); i++) {
    assert_string_equal (value.grants.items[i].name, sorted[i]);
    assert_ptr_equal (grants_find (&value.grants, sorted[i]), &value.grants.items[i]);
  }
  assert_null (grants_find (&value.grants, "/c"));
  assert_null (grants_find (&value.grants, "/a/"));
}

static void test_grants_refuse_repeats (void **state)
{
  cleanup_value struct value value = { 0 };
  cleanup_error struct error err = { 0 };
  struct grant grant = grant_of ("/a", "/one"), again = grant_of ("/a", "/two");

  (void) state;
  assert_int_equal (value_add_grant (SETTING_MOUNTS, &grant, &value, &err), 0);
  assert_int_equal (value_add_grant (SETTING_MOUNTS, &again, &value, &err), -EEXIST);
  assert_string_equal (error_text (&err), "'/a' is listed twice");
  assert_null (again.name); /* taken also on failure */
  assert_int_equal (value.grants.count, 1);
  assert_string_equal (value.grants.items[0].source, "/one");
}

static void test_grants_have_limits (void **state)
{
  static const struct {
    enum setting setting;
    unsigned limit;
  } rows[] = { { SETTING_MOUNTS, LIMIT_MOUNTS },
               { SETTING_SECRETS, LIMIT_SECRETS },
               { SETTING_ENVIRONMENT_SET, LIMIT_ENVIRONMENT } };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_value struct value value = { 0 };
    cleanup_free char *message = str_format ("more than %u entries", rows[i].limit);

    for (unsigned k = 0; k <= rows[i].limit; k++) {
      cleanup_free char *name = str_format ("N%05u", rows[i].limit - k);
      cleanup_error struct error err = { 0 };
      struct grant grant = grant_of (name, "x");
      int r = value_add_grant (rows[i].setting, &grant, &value, &err);

      assert_int_equal (r, k < rows[i].limit ? 0 : -E2BIG);
      assert_string_equal (error_text (&err), r < 0 ? message : "no error");
    }
    assert_int_equal (value.grants.count, rows[i].limit);
  }
}

static const struct {
  enum setting setting;
  const char *texts[4]; /* all different */
} families[] = {
  { SETTING_NO_NEW_PRIVILEGES, { "true", "false" } },
  { SETTING_WORKSPACE, { "none", "read-only", "copy-on-write", "read-write" } },
  { SETTING_MEMORY, { "1M", "2M", "9223372036854775807" } },
  { SETTING_USER, { "1:1", "1:2", "2:1", "0:0" } },
  { SETTING_APPARMOR, { "a", "b" } },
  { SETTING_CAPABILITIES, { "", "CAP_KILL", "CAP_CHOWN", "CAP_KILL,CAP_CHOWN" } },
  { SETTING_MOUNTS, { "", "/a=/x", "/a=/y", "/a=/x!" } },
  { SETTING_SECRETS, { "k=/x", "l=/x", "k=/y", "k=/x,l=/x" } },
};

static void test_equal (void **state)
{
  static const char *const states[] = { "(unset)", "(lifted)", "(conflict)" };

  (void) state;
  for (size_t f = 0; f < ARRAY_LEN (families); f++) {
    enum setting s = families[f].setting;
    const char *all[ARRAY_LEN (states) + 4];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_LEN (states); i++)
      all[count++] = states[i];
    for (size_t i = 0; i < 4 && families[f].texts[i] != NULL; i++)
      all[count++] = families[f].texts[i];
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < count; k++) {
        cleanup_value struct value a = { .origin.line = 1 }, b = { .origin.line = 2 };

        value_case (s, all[i], &a);
        value_case (s, all[k], &b);
        CHECK (value_equal (s, &a, &b) == (i == k), "%s: '%s' against '%s'", setting_info (s)->key, all[i],
               all[k]);
      }
  }
}

static void test_copy_is_of_its_own (void **state)
{
  (void) state;
  for (size_t f = 0; f < ARRAY_LEN (families); f++)
    for (size_t i = 0; i < 4 && families[f].texts[i] != NULL; i++) {
      enum setting s = families[f].setting;
      cleanup_value struct value from = { 0 }, copy = { 0 };
      cleanup_free char *before = NULL, *after = NULL;

      value_case (s, families[f].texts[i], &from);
      from.origin = (struct origin){ .file = strdup ("a.json"), .line = 3, .trusted = true };
      before = value_text (s, &from);
      assert_int_equal (value_copy (&from, &copy), 0);
      assert_true (value_equal (s, &from, &copy));
      value_clear (&from);
      after = value_text (s, &copy);
      assert_string_equal (after, before);
      assert_string_equal (copy.origin.file, "a.json");
      assert_int_equal (copy.origin.line, 3);
      assert_true (copy.origin.trusted);
    }
}

static void test_copy_keeps_every_field_of_a_grant (void **state)
{
  cleanup_value struct value from = { 0 }, copy = { 0 };
  struct grant grant = grant_of ("key", "/etc/key");

  (void) state;
  grant.target = strdup ("/run/secrets/key");
  grant.reason = strdup ("because");
  grant.writable = true;
  assert_int_equal (value_add_grant (SETTING_SECRETS, &grant, &from, NULL), 0);
  assert_int_equal (value_copy (&from, &copy), 0);
  value_clear (&from);
  assert_string_equal (copy.grants.items[0].name, "key");
  assert_string_equal (copy.grants.items[0].source, "/etc/key");
  assert_string_equal (copy.grants.items[0].target, "/run/secrets/key");
  assert_string_equal (copy.grants.items[0].reason, "because");
  assert_true (copy.grants.items[0].writable);
}

static void test_texts (void **state)
{
  static const struct {
    enum setting setting;
    const char *text, *shown;
  } rows[] = {
    { SETTING_MEMORY, "(unset)", "(unset)" },
    { SETTING_MEMORY, "(lifted)", "(lifted)" },
    { SETTING_USER, "(conflict)", "(conflict)" },
    { SETTING_CAPABILITIES, "", "(none)" },
    { SETTING_CAPABILITIES, "CAP_KILL,CAP_CHOWN", "CAP_CHOWN, CAP_KILL" },
    { SETTING_MOUNTS, "", "(none)" },
    { SETTING_MOUNTS, "/b=/x!,/a=/y", "/y on /a (read-only), /x on /b (read-write)" },
    { SETTING_SECRETS, "key=/etc/key,b=/b", "b at /run/secrets/b, key at /run/secrets/key" },
    { SETTING_ENVIRONMENT_SET, "HOME=/workspace,A=", "A=, HOME=/workspace" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_value struct value value = { 0 };
    cleanup_free char *shown = NULL;

    value_case (rows[i].setting, rows[i].text, &value);
    shown = value_text (rows[i].setting, &value);
    assert_string_equal (shown, rows[i].shown);
  }
}

static void test_origins (void **state)
{
  char file[] = "ci.json";
  struct origin rows[] = { { NULL, 0, true }, { NULL, 7, true }, { file, 0, true }, { file, 14, false } };
  static const char *const shown[] = { "built-in default", "built-in default", "ci.json", "ci.json:14" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *text = origin_text (&rows[i]);

    assert_string_equal (text, shown[i]);
  }
}

static void test_complete (void **state)
{
  static const struct {
    enum setting setting;
    const char *shown;
  } rows[] = {
    { SETTING_ISOLATION_TYPE, "container" },
    { SETTING_ISOLATION_IMAGE, "(unset)" },
    { SETTING_ROOT, "read-only" },
    { SETTING_WORKSPACE, "none" },
    { SETTING_TMP, "64M" },
    { SETTING_MOUNTS, "(none)" },
    { SETTING_USER, "10001:10001" },
    { SETTING_CAPABILITIES, "(none)" },
    { SETTING_TOOLS, "(unset)" },
    { SETTING_APPARMOR, "(unset)" },
    { SETTING_NETWORK_MODE, "none" },
    { SETTING_MEMORY, "1G" },
    { SETTING_DISK, "(unset)" },
    { SETTING_BUDGET_RUNS, "(unset)" },
    { SETTING_ENVIRONMENT_PASS, "(none)" },
    { SETTING_REQUIRE, "*" },
    { SETTING_OPTIONAL, "(none)" },
  };
  cleanup_settings struct settings settings = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (settings_complete (&settings, &err), 0);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *shown = value_text (rows[i].setting, &settings.values[rows[i].setting]);

    CHECK (strcmp (shown, rows[i].shown) == 0, "%s is '%s', not '%s'", setting_info (rows[i].setting)->key,
           shown, rows[i].shown);
    assert_null (settings.values[rows[i].setting].origin.file);
    assert_true (settings.values[rows[i].setting].origin.trusted);
  }
}

static void test_complete_keeps_what_is_said (void **state)
{
  cleanup_settings struct settings settings = { 0 }, copy = { 0 };

  (void) state;
  settings_case (&settings, SETTING_MEMORY, "(lifted)");
  settings_case (&settings, SETTING_PIDS, "7");
  settings_case (&settings, SETTING_REQUIRE, "root.read_only");
  settings_case (&settings, SETTING_USER, "(conflict)");
  assert_int_equal (settings_complete (&settings, NULL), 0);
  assert_int_equal (settings.values[SETTING_MEMORY].state, VALUE_LIFTED);
  assert_int_equal (settings.values[SETTING_PIDS].number, 7);
  assert_int_equal (settings.values[SETTING_REQUIRE].set.count, 1);
  assert_int_equal (settings.values[SETTING_USER].state, VALUE_CONFLICT);

  assert_int_equal (settings_copy (&settings, &copy), 0);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    CHECK (value_equal (s, &settings.values[s], &copy.values[s]), "%s is not copied", setting_info (s)->key);
  settings_clear (&settings);
  for (enum setting s = 0; s < SETTING_COUNT; s++)
    assert_int_equal (settings.values[s].state, VALUE_UNSET);
  assert_int_equal (copy.values[SETTING_PIDS].number, 7);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_parse),
  cmocka_unit_test (test_refusals),
  cmocka_unit_test (test_refusal_keeps_the_value),
  cmocka_unit_test (test_parse_again_replaces),
  cmocka_unit_test (test_add_makes_a_set),
  cmocka_unit_test (test_add_has_a_limit),
  cmocka_unit_test (test_star),
  cmocka_unit_test (test_grants_are_sorted),
  cmocka_unit_test (test_grants_refuse_repeats),
  cmocka_unit_test (test_grants_have_limits),
  cmocka_unit_test (test_equal),
  cmocka_unit_test (test_copy_is_of_its_own),
  cmocka_unit_test (test_copy_keeps_every_field_of_a_grant),
  cmocka_unit_test (test_texts),
  cmocka_unit_test (test_origins),
  cmocka_unit_test (test_complete),
  cmocka_unit_test (test_complete_keeps_what_is_said),
};

UNIT_MAIN (cases)
