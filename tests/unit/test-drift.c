/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drift: what is saved and loaded again, who belongs to a run, and every change for the worse. */
#include <config.h>

#include "posture-drift.h"

#include <errno.h>
#include <stdlib.h>

#include "base-cleanup.h"
#include "unit.h"

#define STATUS(name, uid, eff, nnp, mode, filters)                                                           \
  "Name:\t" name "\nState:\tS (sleeping)\nUid:\t" uid "\t" uid "\t" uid "\t" uid                             \
  "\nGid:\t10001\t10001\t10001\t10001\nGroups:\t10001\nNSpid:\t77\t1\nCapInh:\t0000000000000000\n"           \
  "CapPrm:\t" eff "\nCapEff:\t" eff "\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\n"               \
  "NoNewPrivs:\t" nnp "\nSeccomp:\t" mode "\nSeccomp_filters:\t" filters "\n"
#define NONE   "0000000000000000"
#define INIT   STATUS ("init", "10001", NONE, "1", "2", "1")
#define ROOT   "10 5 0:30 / / ro,nosuid,nodev - overlay overlay ro\n"
#define TMP    "11 10 0:31 / /tmp rw,nosuid - tmpfs tmpfs rw,size=65536k\n"
#define MASK   "12 10 0:32 / /proc/kcore ro - tmpfs tmpfs ro\n"
#define GROUPS "3:memory:/tyrum-oci-r-1\n2:cpu,cpuacct:/tyrum-oci-r-1\n1:name=systemd:/user\n"
#define LIMITS                                                                                               \
  "Limit Soft Hard Units\nMax open files            1024                 1024                 files\n"
#define OUTSIDE                                                                                              \
  "Limit Soft Hard Units\nMax open files            1024                 20000                files\n"

/* The texts here are never written to nor freed. */
static char *constant (const char *text)
{
  const union {
    const char *in;
    char *out;
  } both = { text };

  return both.out;
}

/* As the run was when it was judged. */
static struct outside at_first (void)
{
  struct outside first = { .seen = true,
                           .pid = 77,
                           .status = constant (INIT),
                           .uid_map = constant ("0 100000 65536\n"),
                           .gid_map = constant ("0 100000 65536\n"),
                           .mounts = constant (ROOT TMP MASK),
                           .cgroup = constant (GROUPS),
                           .label = constant ("tyrum-hardened (enforce)\n"),
                           .limits = constant (LIMITS),
                           .group_path = constant ("/tyrum-oci-r-1"),
                           .group = { true, true, 4096, 4096, UINT64_MAX, true, 128, 50000, 100000 } };

  for (enum space s = 0; s < SPACE_COUNT; s++) {
    first.own_spaces[s] = 100 + s;
    first.spaces[s] = 200 + s;
  }
  /* One namespace is the host's by the profile. */
  first.spaces[SPACE_USER] = first.own_spaces[SPACE_USER];
  return first;
}

/* Compares with NOW as the first process, and with it as the only one. */
static void compare (const struct outside *now, struct drift *ret_drift)
{
  struct outside then = at_first ();
  const struct drift_look look = { &then, now, now, 1 };

  assert_int_equal (drift_compare (&look, ret_drift, NULL), 0);
}

/* The one finding about NOW is CONTROL's. */
static void expect (const struct outside *now, enum control control, const char *is)
{
  cleanup_drift struct drift drift = { 0 };

  compare (now, &drift);
  CHECK (drift.count == 1, "%s: %zu findings", control_info (control)->name, drift.count);
  CHECK (drift.items[0].control == control, "%s, not %s", control_info (drift.items[0].control)->name,
         control_info (control)->name);
  CHECK (strstr (drift.items[0].is, is) != NULL, "'%s' is not in '%s'", is, drift.items[0].is);
}

static void expect_none (const struct outside *now)
{
  cleanup_drift struct drift drift = { 0 };

  compare (now, &drift);
  CHECK (drift.count == 0, "%s: %s", control_info (drift.items[0].control)->name, drift.items[0].is);
}

static void test_nothing_changed (void **state)
{
  struct outside now = at_first ();

  (void) state;
  expect_none (&now);
}

static void test_limits (void **state)
{
  struct outside now = at_first ();

  (void) state;
  now.group.memory = 8192;
  expect (&now, CONTROL_LIMITS_MEMORY, "8192");
  now = at_first ();
  now.group.memory_and_swap = UINT64_MAX;
  expect (&now, CONTROL_LIMITS_MEMORY, "no limit");
  now = at_first ();
  now.group.pids = UINT64_MAX;
  expect (&now, CONTROL_LIMITS_PIDS, "no limit");
  now = at_first ();
  now.group.quota = 50001;
  expect (&now, CONTROL_LIMITS_CPU, "50001 us of every 100000");
  now = at_first ();
  now.group.period = 10000;
  expect (&now, CONTROL_LIMITS_CPU, "50000 us of every 10000");
  now = at_first ();
  now.group.quota = UINT64_MAX;
  expect (&now, CONTROL_LIMITS_CPU, "no limit");
  now = at_first ();
  now.group.known = false;
  expect (&now, CONTROL_LIMITS_MEMORY, "cannot be read");
  now = at_first ();
  now.limits = constant (OUTSIDE);
  expect (&now, CONTROL_LIMITS_OPEN_FILES, "20000");
}

static void test_tighter_is_no_drift (void **state)
{
  struct outside now = at_first ();

  (void) state;
  now.group.memory = now.group.memory_and_swap = 1;
  now.group.pids = 1;
  now.group.quota = 1;
  now.status = constant (STATUS ("init", "10001", NONE, "1", "2", "4"));
  expect_none (&now);
  now.status = constant (STATUS ("init", "10001", NONE, "1", "1", "0"));
  expect_none (&now);
}

static void test_mounts (void **state)
{
  static const struct {
    const char *mounts;
    enum control control;
    const char *is;
  } cases[] = {
    { ROOT TMP MASK "13 10 0:33 / /mnt rw - tmpfs x rw\n", CONTROL_WORKSPACE_BOUNDED, "'/mnt' (rw; rw)" },
    { ROOT TMP, CONTROL_PATHS_MASKED, "not mounted" },
    { "10 5 0:30 / / rw,nosuid,nodev - overlay overlay ro\n" TMP MASK, CONTROL_ROOT_READ_ONLY, "(rw,nosuid" },
    { ROOT "11 10 0:31 / /tmp rw,nosuid - tmpfs tmpfs rw,size=1g\n" MASK, CONTROL_TMP_BOUNDED, "size=1g" },
    { ROOT TMP MASK "13 11 0:33 / /tmp rw - tmpfs \377 rw\n", CONTROL_WORKSPACE_BOUNDED, "'/tmp' (rw; rw)" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (cases); i++) {
    struct outside now = at_first ();

    now.mounts = constant (cases[i].mounts);
    expect (&now, cases[i].control, cases[i].is);
  }
}

static void test_process (void **state)
{
  static const struct {
    const char *status;
    enum control control;
    const char *is;
  } cases[] = {
    { STATUS ("sh", "0", NONE, "1", "2", "1"), CONTROL_USER_NON_ROOT, "uids 0 0 0 0" },
    { STATUS ("sh", "10002", NONE, "1", "2", "1"), CONTROL_USER_NON_ROOT, "uids 10002" },
    { STATUS ("sh", "10001", "0000000000000001", "1", "2", "1"), CONTROL_CAPABILITIES,
      "CapPrm 0000000000000001, CapEff 0000000000000001" },
    { STATUS ("sh", "10001", NONE, "0", "2", "1"), CONTROL_NO_NEW_PRIVILEGES, "not set" },
    { STATUS ("sh", "10001", NONE, "1", "0", "0"), CONTROL_SECCOMP, "mode 0" },
    { STATUS ("sh", "10001", NONE, "1", "2", "0"), CONTROL_SECCOMP, "0 filters" },
    { "Name:\tsh\n", CONTROL_USER_NON_ROOT, "cannot be read" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (cases); i++) {
    struct outside now = at_first ();

    now.status = constant (cases[i].status);
    expect (&now, cases[i].control, cases[i].is);
  }
}

static void test_where_a_process_is (void **state)
{
  struct outside now = at_first ();

  (void) state;
  now.label = constant ("unconfined\n");
  expect (&now, CONTROL_APPARMOR, "unconfined");
  now = at_first ();
  now.spaces[SPACE_NET] = now.own_spaces[SPACE_NET];
  expect (&now, CONTROL_NETWORK_MODE, "the host's");
  now = at_first ();
  now.spaces[SPACE_PID] = 999;
  expect (&now, CONTROL_NAMESPACE_PID, "pid namespace 999");
  now = at_first ();
  now.cgroup = constant ("3:memory:/\n2:cpu,cpuacct:/tyrum-oci-r-1/below\n1:name=systemd:/\n");
  expect (&now, CONTROL_LIMITS_MEMORY, "in 1 of them");
  now = at_first ();
  now.uid_map = constant ("0 0 4294967295\n");
  expect (&now, CONTROL_USER_NAMESPACE, "0 0 4294967295");
}

static void test_names_are_harmless (void **state)
{
  struct outside now = at_first ();
  cleanup_drift struct drift drift = { 0 };

  (void) state;
  now.status = constant (STATUS ("a\033[2J\377b", "0", NONE, "1", "2", "1"));
  compare (&now, &drift);
  assert_int_equal (drift.count, 1);
  assert_string_equal (drift.items[0].process, "a?[2J?b");
  assert_int_equal (drift.items[0].pid, 77);
}

static void test_members (void **state)
{
  struct outside then = at_first (), other = at_first ();

  (void) state;
  assert_true (drift_is_member (&then, &other));
  for (enum space s = 0; s < SPACE_COUNT; s++)
    other.spaces[s] = other.own_spaces[s];
  assert_true (drift_is_member (&then, &other)); /* by its cgroup alone */
  other.cgroup = constant ("3:memory:/tyrum-oci-r-11\n2:cpu,cpuacct:/\n");
  assert_false (drift_is_member (&then, &other));
  other.spaces[SPACE_UTS] = then.spaces[SPACE_UTS]; /* by one namespace */
  assert_true (drift_is_member (&then, &other));
}

static void test_save_and_load (void **state)
{
  struct outside first = at_first ();
  cleanup_outside struct outside again = { 0 };
  cleanup_free char *bytes = NULL, *twice = NULL;
  size_t length = 0, second = 0;

  (void) state;
  first.label = NULL;
  assert_int_equal (outside_save (&first, &bytes, &length, NULL), 0);
  assert_int_equal (outside_load (bytes, length, &again, NULL), 0);
  assert_null (again.label);
  assert_int_equal (outside_save (&again, &twice, &second, NULL), 0);
  assert_int_equal (length, second);
  assert_memory_equal (bytes, twice, length);
  /* Cut anywhere, or with more behind it, it is refused. */
  for (size_t cut = 0; cut < length; cut++) {
    cleanup_outside struct outside part = { 0 };

    CHECK (outside_load (bytes, cut, &part, NULL) == -EINVAL, "%zu bytes of %zu are taken", cut, length);
  }
  bytes[length] = 'x';
  assert_int_equal (outside_load (bytes, length + 1, &again, NULL), -EINVAL);
}

/* gVisor's processes are nobody's on this host: only the limits count. */
static void test_behind_another_kernel (void **state)
{
  struct outside then = { .group = { true, true, 4096, UINT64_MAX, UINT64_MAX, false, 128, 1, 2 } };
  struct outside now = then;
  cleanup_drift struct drift drift = { 0 }, none = { 0 };
  const struct drift_look look = { &then, &now, NULL, 0 };

  (void) state;
  assert_int_equal (drift_compare (&look, &none, NULL), 0);
  assert_int_equal (none.count, 0);
  now.group.pids = 129;
  assert_int_equal (drift_compare (&look, &drift, NULL), 0);
  assert_int_equal (drift.count, 1);
}

static void test_facts_that_are_not_complete (void **state)
{
  struct outside then = at_first (), now = at_first ();
  struct drift drift = { 0 };
  const struct drift_look look = { &then, &now, NULL, 0 };

  (void) state;
  then.status = constant ("Name:\tinit\n");
  assert_int_equal (drift_compare (&look, &drift, NULL), -EINVAL);
  then = at_first ();
  now.mounts = constant ("nothing\n");
  assert_int_equal (drift_compare (&look, &drift, NULL), -EINVAL);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_nothing_changed),
  cmocka_unit_test (test_limits),
  cmocka_unit_test (test_tighter_is_no_drift),
  cmocka_unit_test (test_mounts),
  cmocka_unit_test (test_process),
  cmocka_unit_test (test_where_a_process_is),
  cmocka_unit_test (test_names_are_harmless),
  cmocka_unit_test (test_members),
  cmocka_unit_test (test_save_and_load),
  cmocka_unit_test (test_behind_another_kernel),
  cmocka_unit_test (test_facts_that_are_not_complete),
};

UNIT_MAIN (cases)
