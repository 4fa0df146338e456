/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a name leads, link by link, and what lies in what by the mount table. */
#include <config.h>

#include "mount-location-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define TOP "/tmp/tyrum-oci-test-location-XXXXXX"

static const char *const links[][2] = {
  { "up", ".." }, { "in", "dir/deep" }, { "dangling", "dir/none/x" },
  { "a", "b" },   { "b", "a" },         { "two", "in" },
};

static int make (void **state)
{
  char *top = strdup (TOP);

  if (top == NULL || mkdtemp (top) == NULL || chdir (top) < 0 || mkdir ("dir", 0755) < 0
      || mkdir ("dir/deep", 0755) < 0)
    return -1;
  for (size_t i = 0; i < ARRAY_LEN (links); i++)
    if (symlink (links[i][1], links[i][0]) < 0)
      return -1;
  *state = top;
  return 0;
}

static int unmake (void **state)
{
  char *top = *state;
  int r = 0;

  for (size_t i = 0; i < ARRAY_LEN (links); i++)
    r |= unlink (links[i][0]);
  r |= rmdir ("dir/deep") | rmdir ("dir") | chdir ("/") | rmdir (top);
  free (top);
  return r;
}

static void test_follow (void **state)
{
  static const struct {
    const char *path, *real; /* below the top */
    const char *links;
  } rows[] = {
    { "/dir/deep", "/dir/deep", "" },
    { "/dir//./deep/../deep/", "/dir/deep", "" },
    { "/in/x", "/dir/deep/x", "/in" },
    { "/in/../y", "/dir/y", "/in" },
    { "/two", "/dir/deep", "/two /in" },
    { "/dangling", "/dir/none/x", "/dangling" },
    { "/dangling-journal", "/dangling-journal", "" },
    { "/none/../dir/deep", "/dir/deep", "" },
    { "/../../../../dir/x", NULL, "" }, /* above the root is the root */
  };
  const char *top = *state;

  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *path = str_format ("%s%s", top, rows[i].path);
    cleanup_free char *real = NULL, *expected = str_format ("%s%s", top, rows[i].real ? rows[i].real : "");
    cleanup_strlist struct strlist found = { 0 };
    cleanup_strbuf struct strbuf text = { 0 };

    assert_int_equal (location_follow (path, &found, &real), 0);
    assert_string_equal (real, rows[i].real ? expected : "/dir/x");
    strbuf_add (&text, "");
    for (size_t k = 0; k < found.count; k++)
      strbuf_addf (&text, "%s%s", k > 0 ? " " : "", found.items[k] + strlen (top));
    assert_string_equal (text.text, rows[i].links);
  }
}

static void test_follow_fails (void **state)
{
  cleanup_free char *path = str_format ("%s/a", (const char *) *state);
  cleanup_strlist struct strlist found = { 0 };
  char *real = NULL;

  assert_int_equal (location_follow (path, &found, &real), -ELOOP);
  assert_null (real);
}

/* The home lies on a disk of its own, one part of it is mounted a second time, and so is another disk in it.
 */
#define TABLE                                                                                                \
  "1 0 8:1 / / rw - ext4 /dev/a rw\n"                                                                        \
  "2 1 8:2 / /srv/home rw - ext4 /dev/b rw\n"                                                                \
  "3 1 8:2 /plugins/x /mnt/x rw - ext4 /dev/b rw\n"                                                          \
  "4 2 8:3 /deep /srv/home/workspace rw - ext4 /dev/c rw\n"

static void test_within (void **state)
{
  static const struct {
    const char *path, *whole;
    bool within;
  } rows[] = {
    { "/srv/home/plugins", "/srv/home", true },
    { "/srv/home", "/srv/home", true },
    { "/mnt/x", "/srv/home", true },
    { "/mnt/x/y", "/srv/home/plugins", true },
    { "/srv/home/plugins/x/y", "/mnt/x", true },
    { "/mnt", "/srv/home", false },
    { "/srv/home/plugins", "/mnt/x", false },
    { "/srv/home/workspace/a", "/srv/home", true },
    { "/srv/homes", "/srv/home", false },
    { "/plugins/x", "/srv/home/plugins", false },
  };
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };

  (void) state;
  assert_int_equal (proc_mounts_read (TABLE, &mounts), 0);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_location struct location path = { 0 }, whole = { 0 };

    assert_int_equal (location_trace_real (&mounts, rows[i].path, &path), 0);
    assert_int_equal (location_trace_real (&mounts, rows[i].whole, &whole), 0);
    if (location_is_within (&path, &whole) != rows[i].within)
      fail_msg ("'%s' in '%s' should be %d", rows[i].path, rows[i].whole, rows[i].within);
  }
}

/* Something is mounted in /mnt, then the home over /mnt: nothing leads to what was mounted first, and
 * /mnt/plugins is the home's. The table starts as where an initramfs was, lists one mount of two on a place
 * before the other, and has mounts in a chroot, whose root is not listed. */
static void test_covered (void **state)
{
  static const char *const tables[] = {
    "1 1 0:2 / / rw - rootfs rootfs rw\n"
    "2 1 8:1 / / rw - ext4 /dev/a rw\n"
    "3 2 0:40 / /mnt/plugins rw - tmpfs x rw\n"
    "4 2 8:1 /srv/home /mnt rw - ext4 /dev/a rw\n",
    "4 2 8:1 /srv/home /mnt rw - ext4 /dev/a rw\n"
    "3 2 0:40 / /mnt/plugins rw - tmpfs x rw\n"
    "2 0 8:1 / / rw - ext4 /dev/a rw\n",
    "5 9 8:1 /srv /srv rw - ext4 /dev/a rw\n"
    "6 9 0:40 / /mnt/plugins rw - tmpfs x rw\n"
    "8 7 8:1 /srv/home /mnt rw - ext4 /dev/a rw\n"
    "7 9 0:41 / /mnt rw - tmpfs y rw\n",
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (tables); i++) {
    cleanup_proc_mounts struct proc_mounts mounts = { 0 };
    cleanup_location struct location path = { 0 }, whole = { 0 };

    assert_int_equal (proc_mounts_read (tables[i], &mounts), 0);
    assert_int_equal (location_trace_real (&mounts, "/mnt/plugins", &path), 0);
    assert_int_equal (location_trace_real (&mounts, "/srv/home", &whole), 0);
    assert_string_equal (path.inner, "/srv/home/plugins");
    assert_string_equal (whole.inner, "/srv/home");
    assert_true (location_is_within (&path, &whole));
  }
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_follow, make, unmake),
    cmocka_unit_test_setup_teardown (test_follow_fails, make, unmake),
    cmocka_unit_test (test_within),
    cmocka_unit_test (test_covered),
  };

  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
