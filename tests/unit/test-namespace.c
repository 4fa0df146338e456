/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose root we are, and whose files count as root's there. */
#include <config.h>

#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-namespace.h"

#define USER_ID  1000
#define SUB_ID   300000
#define NO_TRUST 1
#define BROKEN   100

static void test_maps (void **state)
{
  static const char usual[] = "         0       1000          1\n         1     300000      65536\n";

  (void) state;
  assert_true (namespace_maps (usual, 0) && namespace_maps (usual, 1) && namespace_maps (usual, 65534)
               && namespace_maps (usual, 65536));
  assert_false (namespace_maps (usual, 65537));
  assert_false (namespace_maps ("0 1000 1\n1 300000 65533\n", 65534));
  assert_true (namespace_maps ("0 1000 1\n1 300000 65534\n", 65534));
  assert_true (namespace_maps ("0 0 4294967295\n", 65534));
  assert_false (namespace_maps ("", 65534));
  assert_false (namespace_maps ("0 1000\n", 0));
  assert_false (namespace_maps ("0 1000 x\n", 0));
}

static void write_to (const char *path, const char *text)
{
  cleanup_close int fd = open (path, O_WRONLY | O_CLOEXEC);

  assert_true (fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text));
}

/* In the namespace: 0 for trusted, NO_TRUST for not. */
static int look (const char *path)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  bool trusted = false;
  uid_t uid = 0;

  if (setgid (0) < 0 || setuid (0) < 0 || !namespace_is_users (&uid) || uid != USER_ID
      || file_read_trusted (path, NULL, 100, &text, NULL, &trusted, NULL, &err) < 0)
    return BROKEN;
  return trusted ? 0 : NO_TRUST;
}

/* What a user's root with MAP thinks of PATH. */
static int look_with (const char *map, const char *path)
{
  char name[64], byte = 0;
  int ready[2] = { -1, -1 }, go[2] = { -1, -1 }, status = 0;
  pid_t child;

  assert_true (pipe (ready) == 0 && pipe (go) == 0);
  child = fork ();
  if (child == 0) {
    if (unshare (CLONE_NEWUSER) < 0 || write (ready[1], &byte, 1) != 1 || read (go[0], &byte, 1) != 1)
      _exit (BROKEN);
    _exit (look (path));
  }
  close (ready[1]);
  if (read (ready[0], &byte, 1) == 1) {
    snprintf (name, sizeof (name), "/proc/%d/uid_map", (int) child);
    write_to (name, map);
    snprintf (name, sizeof (name), "/proc/%d/gid_map", (int) child);
    write_to (name, map);
    assert_int_equal (write (go[1], &byte, 1), 1);
  }
  assert_int_equal (waitpid (child, &status, 0), child);
  close (ready[0]);
  close (go[0]);
  close (go[1]);
  return WIFEXITED (status) ? WEXITSTATUS (status) : BROKEN;
}

static void test_owners (void **state)
{
  static const char few[] = "0 1000 1\n1 300000 1000\n", many[] = "0 1000 1\n1 300000 65536\n";
  char directory[] = "/tmp/tyrum-oci-test-namespace-XXXXXX", path[64];
  cleanup_close int fd = -1;
  struct stat st;

  (void) state;
  /* Only root gives files away; whoever tests without has tested it with. */
  if (geteuid () != 0 || stat ("/", &st) < 0 || st.st_uid != 0)
    return;
  assert_non_null (mkdtemp (directory));
  assert_int_equal (chmod (directory, 0755), 0);
  snprintf (path, sizeof (path), "%s/file", directory);
  fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  assert_true (fd >= 0);
  /* Root's, with and without somebody of nobody's number. */
  assert_int_equal (look_with (few, path), 0);
  assert_int_equal (look_with (many, path), 0);
  /* That somebody's. */
  assert_int_equal (fchown (fd, SUB_ID + NAMESPACE_NOBODY - 1, SUB_ID), 0);
  assert_int_equal (look_with (many, path), NO_TRUST);
  assert_int_equal (fchown (fd, SUB_ID + NAMESPACE_NOBODY - 1, 0), 0);
  assert_int_equal (look_with (many, path), NO_TRUST);
  /* Of another one inside, and the user's own. */
  assert_int_equal (fchown (fd, SUB_ID, SUB_ID), 0);
  assert_int_equal (look_with (many, path), NO_TRUST);
  assert_int_equal (fchown (fd, USER_ID, USER_ID), 0);
  assert_int_equal (look_with (many, path), 0);
  /* A directory of that somebody's on the way. */
  assert_int_equal (fchown (fd, 0, 0), 0);
  assert_int_equal (chown (directory, SUB_ID + NAMESPACE_NOBODY - 1, SUB_ID), 0);
  assert_int_equal (look_with (many, path), NO_TRUST);
  unlink (path);
  rmdir (directory);
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_maps),
    cmocka_unit_test (test_owners),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
