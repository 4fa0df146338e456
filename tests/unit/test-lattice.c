/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lattice by example: who is stricter, what both give, and whose origin stays. */
#include <config.h>

#include "control-lattice.h"

#include "unit.h"
#include "value-case.h"

struct row {
  enum setting setting;
  const char *a, *b;
  enum relation relation; /* how B stands against A */
  const char *meet;
};

static enum relation turned (enum relation relation)
{
  if (relation == RELATION_TIGHTER)
    return RELATION_LOOSER;
  return relation == RELATION_LOOSER ? RELATION_TIGHTER : relation;
}

static void check_row (enum setting setting, const char *a, const char *b, enum relation relation,
                       const char *meet)
{
  const char *key = setting_info (setting)->key;
  cleanup_value struct value va = { 0 }, vb = { 0 }, expected = { 0 }, met = { 0 };
  cleanup_free char *shown = NULL;
  enum relation seen;

  value_case (setting, a, &va);
  value_case (setting, b, &vb);
  value_case (setting, meet, &expected);
  seen = value_compare (setting, &va, &vb);
  CHECK (seen == relation, "%s: '%s' against '%s' is %s, not %s", key, b, a, relation_text (seen),
         relation_text (relation));
  assert_int_equal (value_within (setting, &va, &vb),
                    relation == RELATION_EQUAL || relation == RELATION_TIGHTER);
  assert_int_equal (value_meet (setting, &va, &vb, &met), 0);
  shown = value_text (setting, &met);
  CHECK (value_equal (setting, &met, &expected), "%s: '%s' and '%s' give '%s', not '%s'", key, a, b, shown,
         meet);
}

/* Each row is also read from right to left. */
static void check_rows (const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    check_row (rows[i].setting, rows[i].a, rows[i].b, rows[i].relation, rows[i].meet);
    check_row (rows[i].setting, rows[i].b, rows[i].a, turned (rows[i].relation), rows[i].meet);
  }
}

#define EQUAL     RELATION_EQUAL
#define TIGHTER   RELATION_TIGHTER
#define LOOSER    RELATION_LOOSER
#define UNRELATED RELATION_UNRELATED

static void test_chains (void **state)
{
  static const struct row rows[] = {
    { SETTING_NO_NEW_PRIVILEGES, "false", "true", TIGHTER, "true" },
    { SETTING_NO_NEW_PRIVILEGES, "true", "true", EQUAL, "true" },
    { SETTING_NO_NEW_PRIVILEGES, "false", "false", EQUAL, "false" },
    { SETTING_ROOT, "writable-layer", "read-only", TIGHTER, "read-only" },
    { SETTING_WORKSPACE, "read-write", "none", TIGHTER, "none" },
    { SETTING_WORKSPACE, "read-only", "copy-on-write", LOOSER, "read-only" },
    { SETTING_NETWORK_MODE, "engine", "allow", TIGHTER, "allow" },
    { SETTING_NETWORK_MODE, "host", "host", EQUAL, "host" },
    { SETTING_ISOLATION_TYPE, "disabled", "container", TIGHTER, "container" },
    { SETTING_MEMORY, "1G", "1073741823", TIGHTER, "1073741823" },
    { SETTING_MEMORY, "1G", "1024M", EQUAL, "1G" },
    { SETTING_MEMORY, "9223372036854775807", "1M", TIGHTER, "1M" },
    { SETTING_CPUS, "1.5", "1.499", TIGHTER, "1.499" },
    { SETTING_WALL, "1m", "59s", TIGHTER, "59s" },
    { SETTING_IDLE, "1m", "59s", TIGHTER, "59s" },
    { SETTING_OUTPUT_RATE, "2M", "1M", TIGHTER, "1M" },
    { SETTING_OUTPUT_ACTION, "cut", "end", TIGHTER, "end" },
    { SETTING_BUDGET_RUNS, "1", "0", TIGHTER, "0" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

static void test_users (void **state)
{
  static const struct row rows[] = {
    { SETTING_USER, "0:0", "1:1", TIGHTER, "1:1" },
    { SETTING_USER, "0:5", "1:1", TIGHTER, "1:1" },
    { SETTING_USER, "5:0", "1:1", TIGHTER, "1:1" },
    { SETTING_USER, "1:1", "1:1", EQUAL, "1:1" },
    { SETTING_USER, "1:1", "1:2", UNRELATED, "(conflict)" },
    { SETTING_USER, "1:1", "2:1", UNRELATED, "(conflict)" },
    { SETTING_USER, "0:0", "0:5", TIGHTER, "0:5" },
    { SETTING_USER, "0:5", "0:6", TIGHTER, "0:6" },
    { SETTING_USER, "0:5", "5:0", TIGHTER, "5:0" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

static void test_texts (void **state)
{
  static const struct row rows[] = {
    { SETTING_APPARMOR, "a", "a", EQUAL, "a" },
    { SETTING_APPARMOR, "a", "b", UNRELATED, "(conflict)" },
    { SETTING_ISOLATION_IMAGE, "debian:12", "debian:13", UNRELATED, "(conflict)" },
    { SETTING_ISOLATION_RUNTIME, "runc", "/usr/sbin/runc", UNRELATED, "(conflict)" },
    { SETTING_SECCOMP_LIST, "default", "strict", TIGHTER, "strict" },
    { SETTING_SECCOMP_LIST, "default", "default", EQUAL, "default" },
    { SETTING_SECCOMP_LIST, "own.json", "own.json", EQUAL, "own.json" },
    { SETTING_SECCOMP_LIST, "default", "own.json", UNRELATED, "(conflict)" },
    { SETTING_SECCOMP_LIST, "strict", "own.json", UNRELATED, "(conflict)" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

static void test_sets (void **state)
{
  static const struct row rows[] = {
    { SETTING_CAPABILITIES, "CAP_KILL", "", TIGHTER, "" },
    { SETTING_CAPABILITIES, "CAP_KILL,CAP_CHOWN", "CAP_KILL", TIGHTER, "CAP_KILL" },
    { SETTING_CAPABILITIES, "CAP_KILL", "CAP_CHOWN", UNRELATED, "" },
    { SETTING_CAPABILITIES, "CAP_KILL,CAP_BPF", "CAP_BPF,CAP_CHOWN", UNRELATED, "CAP_BPF" },
    { SETTING_CAPABILITIES, "", "", EQUAL, "" },
    { SETTING_ENVIRONMENT_PASS, "LC_*", "LC_ALL", UNRELATED, "" }, /* patterns are names here */
    { SETTING_NETWORK_ALLOW, "a.org,b.org", "b.org,c.org", UNRELATED, "b.org" },
    { SETTING_TOOLS, "/bin/a,/bin/b", "", TIGHTER, "" },
    { SETTING_OPTIONAL, "limits.memory", "", TIGHTER, "" },
    { SETTING_NOEXEC, "", "/tmp", TIGHTER, "/tmp" },
    { SETTING_NOEXEC, "/tmp", "/workspace", UNRELATED, "/tmp,/workspace" },
    { SETTING_HIDE, "a,b", "b,c", UNRELATED, "a,b,c" },
    { SETTING_HIDE, "a,b", "b", LOOSER, "a,b" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

/* In 'require' a star stands for all; a file called "*" hides nothing but itself. */
static void test_star (void **state)
{
  static const struct row rows[] = {
    { SETTING_REQUIRE, "limits.memory", "*", TIGHTER, "*" },
    { SETTING_REQUIRE, "", "*", TIGHTER, "*" },
    { SETTING_REQUIRE, "*", "*", EQUAL, "*" },
    { SETTING_REQUIRE, "limits.memory", "limits.pids", UNRELATED, "limits.memory,limits.pids" },
    { SETTING_HIDE, "master.key", "*", UNRELATED, "*,master.key" },
    { SETTING_HIDE, "*", "*,master.key", TIGHTER, "*,master.key" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

static void test_grants (void **state)
{
  static const struct row rows[] = {
    { SETTING_MOUNTS, "/a=/x", "", TIGHTER, "" },
    { SETTING_MOUNTS, "/a=/x!", "/a=/x", TIGHTER, "/a=/x" },
    { SETTING_MOUNTS, "/a=/x", "/a=/y", UNRELATED, "" },
    { SETTING_MOUNTS, "/a=/x", "/b=/x", UNRELATED, "" },
    { SETTING_MOUNTS, "/a=/x!,/b=/y", "/a=/x,/b=/y!", UNRELATED, "/a=/x,/b=/y" },
    { SETTING_MOUNTS, "/a=/x,/b=/y,/c=/z", "/c=/z,/a=/x", TIGHTER, "/a=/x,/c=/z" },
    { SETTING_MOUNTS, "/a=/x,/b=/y!", "/b=/y!,/c=/z", UNRELATED, "/b=/y!" },
    { SETTING_MOUNTS, "/a=/x!", "/a=/x!", EQUAL, "/a=/x!" },
    { SETTING_SECRETS, "k=/x,l=/y", "l=/y", TIGHTER, "l=/y" },
    { SETTING_SECRETS, "k=/x", "k=/y", UNRELATED, "" },
    { SETTING_ENVIRONMENT_SET, "A=1,B=2", "A=1,B=3", UNRELATED, "A=1" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

/* A secret of the same name and source that appears elsewhere is another grant. */
static void test_secret_targets (void **state)
{
  cleanup_value struct value a = { 0 }, b = { 0 }, met = { 0 };

  (void) state;
  value_case (SETTING_SECRETS, "k=/x", &a);
  value_case (SETTING_SECRETS, "k=/x", &b);
  assert_int_equal (value_compare (SETTING_SECRETS, &a, &b), RELATION_EQUAL);
  b.grants.items[0].target[1] = 'R';
  assert_int_equal (value_compare (SETTING_SECRETS, &a, &b), RELATION_UNRELATED);
  assert_int_equal (value_meet (SETTING_SECRETS, &a, &b, &met), 0);
  assert_int_equal (met.state, VALUE_SET);
  assert_int_equal (met.grants.count, 0);
}

static void test_states (void **state)
{
  static const enum setting settings[] = {
    SETTING_NO_NEW_PRIVILEGES, SETTING_ROOT,         SETTING_MEMORY, SETTING_USER,
    SETTING_APPARMOR,          SETTING_CAPABILITIES, SETTING_HIDE,   SETTING_MOUNTS
  };
  static const char *const values[] = { "true", "read-only", "1M", "0:0", "a", "", "", "" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (settings); i++) {
    const struct row rows[] = {
      { settings[i], "(unset)", values[i], TIGHTER, values[i] },
      { settings[i], "(lifted)", values[i], TIGHTER, values[i] },
      { settings[i], values[i], "(conflict)", TIGHTER, "(conflict)" },
      { settings[i], "(unset)", "(conflict)", TIGHTER, "(conflict)" },
      { settings[i], "(lifted)", "(conflict)", TIGHTER, "(conflict)" },
      { settings[i], "(conflict)", "(conflict)", EQUAL, "(conflict)" },
      { settings[i], "(unset)", "(unset)", EQUAL, "(unset)" },
      { settings[i], "(lifted)", "(lifted)", EQUAL, "(lifted)" },
      { settings[i], "(unset)", "(lifted)", EQUAL, "(lifted)" }, /* as loose, but somebody said so */
    };

    check_rows (rows, ARRAY_LEN (rows));
  }
}

/* The side that decides is named; where both say the same, the first. */
static void test_origins (void **state)
{
  static const struct {
    enum setting setting;
    const char *a, *b, *origin;
  } rows[] = {
    { SETTING_MEMORY, "1G", "2G", "a.json:1" },
    { SETTING_MEMORY, "2G", "1G", "b.json:2" },
    { SETTING_MEMORY, "1G", "1G", "a.json:1" },
    { SETTING_MEMORY, "(unset)", "1G", "b.json:2" },
    { SETTING_MEMORY, "1G", "(unset)", "a.json:1" },
    { SETTING_MEMORY, "(unset)", "(lifted)", "b.json:2" },
    { SETTING_MEMORY, "(lifted)", "(unset)", "a.json:1" },
    { SETTING_MEMORY, "(lifted)", "(lifted)", "a.json:1" },
    { SETTING_CAPABILITIES, "CAP_KILL", "", "b.json:2" },
    { SETTING_CAPABILITIES, "CAP_KILL", "CAP_BPF", "a.json:1" },
    { SETTING_HIDE, "a", "b", "a.json:1" },
    { SETTING_USER, "1:1", "2:2", "a.json:1" },
    { SETTING_USER, "0:0", "2:2", "b.json:2" },
    { SETTING_USER, "1:1", "(conflict)", "b.json:2" },
    { SETTING_MOUNTS, "(unset)", "/a=/x", "b.json:2" },
    { SETTING_MOUNTS, "/a=/x!", "/b=/y", "a.json:1" },
    { SETTING_MOUNTS, "/a=/x", "/a=/x,/b=/y", "a.json:1" },
    { SETTING_MOUNTS, "/a=/x", "", "b.json:2" },
    { SETTING_MOUNTS, "/a=/x!", "/a=/x", "b.json:2" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_value struct value a = { 0 }, b = { 0 }, met = { 0 };
    cleanup_free char *origin = NULL;

    value_case (rows[i].setting, rows[i].a, &a);
    value_case (rows[i].setting, rows[i].b, &b);
    a.origin = (struct origin){ .file = strdup ("a.json"), .line = 1, .trusted = true };
    b.origin = (struct origin){ .file = strdup ("b.json"), .line = 2 };
    assert_int_equal (value_meet (rows[i].setting, &a, &b, &met), 0);
    origin = origin_text (&met.origin);
    CHECK (strcmp (origin, rows[i].origin) == 0, "%s: '%s' and '%s' come from %s, not %s",
           setting_info (rows[i].setting)->key, rows[i].a, rows[i].b, origin, rows[i].origin);
    assert_int_equal (met.origin.trusted, rows[i].origin[0] == 'a');
  }
}

static void test_settings_meet_one_by_one (void **state)
{
  cleanup_settings struct settings a = { 0 }, b = { 0 }, met = { 0 };

  (void) state;
  settings_case (&a, SETTING_MEMORY, "1G");
  settings_case (&b, SETTING_MEMORY, "2G");
  settings_case (&a, SETTING_PIDS, "9");
  settings_case (&b, SETTING_PIDS, "8");
  settings_case (&b, SETTING_ROOT, "read-only");
  settings_case (&a, SETTING_HIDE, "x");
  settings_case (&b, SETTING_HIDE, "y");
  settings_case (&a, SETTING_USER, "1:1");
  settings_case (&b, SETTING_USER, "2:2");
  assert_int_equal (settings_meet (&a, &b, &met), 0);
  assert_int_equal (met.values[SETTING_MEMORY].number, UINT64_C (1) << 30);
  assert_int_equal (met.values[SETTING_PIDS].number, 8);
  assert_int_equal (met.values[SETTING_ROOT].level, ROOT_READ_ONLY);
  assert_int_equal (met.values[SETTING_HIDE].set.count, 2);
  assert_int_equal (met.values[SETTING_USER].state, VALUE_CONFLICT);
  assert_int_equal (met.values[SETTING_WALL].state, VALUE_UNSET);
}

static void test_relation_texts (void **state)
{
  (void) state;
  assert_string_equal (relation_text (RELATION_EQUAL), "equal");
  assert_string_equal (relation_text (RELATION_TIGHTER), "tighter");
  assert_string_equal (relation_text (RELATION_LOOSER), "looser");
  assert_string_equal (relation_text (RELATION_UNRELATED), "not comparable");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_chains),         cmocka_unit_test (test_users),
  cmocka_unit_test (test_texts),          cmocka_unit_test (test_sets),
  cmocka_unit_test (test_star),           cmocka_unit_test (test_grants),
  cmocka_unit_test (test_secret_targets), cmocka_unit_test (test_states),
  cmocka_unit_test (test_origins),        cmocka_unit_test (test_settings_meet_one_by_one),
  cmocka_unit_test (test_relation_texts),
};

UNIT_MAIN (cases)
