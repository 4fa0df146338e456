/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cgroup counts as delegated: in directories that look like groups. Where this file system has no
 * attributes of users, nothing can be marked, and nothing may be found. */
#include <config.h>

#include "host-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "unit.h"

static bool can_mark;

static void write_file (const char *directory, const char *name, const char *text)
{
  cleanup_free char *path = str_format ("%s/%s", directory, name);
  cleanup_close int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  assert_true (fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text));
}

static void make_group (const char *name, const char *members, const char *mark)
{
  assert_true (mkdir (name, 0700) == 0 || errno == EEXIST);
  write_file (name, "cgroup.procs", members);
  write_file (name, "cgroup.subtree_control", "");
  write_file (name, "cgroup.controllers", "cpuset cpu memory pids\n");
  assert_true (removexattr (name, "user.delegate") == 0 || errno == ENODATA || errno == ENOTSUP);
  if (can_mark && mark[0] != '\0')
    assert_int_equal (setxattr (name, "user.delegate", mark, strlen (mark), 0), 0);
}

static int enter_directory (void **state)
{
  char directory[] = "/tmp/tyrum-oci-test-delegation-XXXXXX";

  if (mkdtemp (directory) == NULL || chdir (directory) < 0)
    return -1;
  can_mark = setxattr (directory, "user.delegate", "1", 1, 0) == 0;
  *state = strdup (directory);
  return *state ? 0 : -1;
}

static int remove_entry (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

static int leave_directory (void **state)
{
  int r = chdir ("/") < 0 ? -1 : nftw (*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

  free (*state);
  return r;
}

/* The answer for a process in MOUNT/a/b. */
static void expect (const char *mount, const char *delegated)
{
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));

  assert_non_null (facts);
  assert_int_equal (look_delegation (mount, "/a/b", facts), 0);
  if (!can_mark)
    delegated = NULL;
  CHECK (str_equal (facts->cgroup_delegated, delegated), "found %s",
         facts->cgroup_delegated ? facts->cgroup_delegated : "none");
  assert_int_equal (facts->cgroup_controllers.count, delegated ? 4 : 0);
  assert_int_equal (strset_has (&facts->cgroup_controllers, "memory"), delegated != NULL);
}

static void test_own_group (void **state)
{
  char own[32], both[64];

  snprintf (own, sizeof (own), "%d\n", (int) getpid ());
  snprintf (both, sizeof (both), "1\n%d\n", (int) getpid ());
  make_group ("a", "", "");
  make_group ("a/b", own, "");
  expect (*state, NULL);
  make_group ("a/b", own, "0");
  expect (*state, NULL);
  make_group ("a/b", own, "1");
  expect (*state, "/a/b");
  make_group ("a/b", both, "1");
  expect (*state, NULL);
  make_group ("a/b", "0\n", "1"); /* of another pid namespace */
  expect (*state, NULL);
}

static void test_group_above (void **state)
{
  make_group ("a", "", "1");
  make_group ("a/b", "1\n", "");
  expect (*state, "/a");
  make_group ("a", "1\n", "1");
  expect (*state, NULL);
  make_group ("a", "", "");
  expect (*state, NULL);
  make_group ("a", "", "1");
  expect (*state, "/a");
  /* A manager is beside us, whose group that is. */
  make_group ("a/init.scope", "", "");
  expect (*state, NULL);
}

/* What is above a group at the root is not looked at. */
static void test_root (void **state)
{
  cleanup_host_facts struct host_facts *facts = calloc (1, sizeof (*facts));

  make_group (".", "", "1");
  make_group ("a", "1\n", "");
  assert_int_equal (look_delegation (*state, "/a", facts), 0);
  assert_null (facts->cgroup_delegated);
  assert_int_equal (look_delegation (*state, "", facts), 0);
  assert_null (facts->cgroup_delegated);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, enter_directory, leave_directory)

int main (void)
{
  static const struct CMUnitTest tests[] = {
    IN_DIRECTORY (test_own_group),
    IN_DIRECTORY (test_group_above),
    IN_DIRECTORY (test_root),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
