/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cache: whole trees or none, also when unpackers meet, fail or are killed. */
#include <config.h>

#include "image-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-str.h"
#include "image-cache-case.h"

static void test_gets_and_keeps (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  cleanup_free char *path = NULL;
  char hex[SHA256_HEX];
  struct stat st;

  (void) state;
  cache_make_image ("1", hex);
  CHECK (cache_get (&plain, &root, &err) == 0, "%s", error_text (&err));
  assert_true (root.fresh);
  path = str_format ("state/images/sha256-%s/rootfs", hex);
  assert_string_equal (root.path, path);
  LOOKS (cache_in_tree (hex, "rootfs"), "d 0755");
  LOOKS (cache_in_tree (hex, "rootfs/f"), "f 0644 1");
  LOOKS (cache_in_tree (hex, "rootfs/closed"), "d 0500");
  LOOKS (cache_in_tree (hex, "rootfs/suid"), "f 0755 ");
  LOOKS (cache_in_tree (hex, ""), "d 0700");
  assert_int_equal (stat ("state/images", &st), 0);
  assert_int_equal (st.st_mode & 07777, 0700);
  assert_int_equal (cache_count (""), 2);
  image_root_release (&root);
  cache_gets (false);
  cache_gets (false);
}

static void test_setid_is_another_tree (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  const struct image_unpack_options keep = { .keep_setid = true };
  char hex[SHA256_HEX];
  struct stat st;

  (void) state;
  cache_make_image ("1", hex);
  cache_gets (true);
  CHECK (cache_get (&keep, &root, &err) == 0, "%s", error_text (&err));
  assert_true (root.fresh);
  assert_int_equal (fstatat (root.fd, "suid", &st, 0), 0);
  assert_int_equal (st.st_mode & 07777, 04755);
  LOOKS (cache_in_tree (hex, "rootfs/suid"), "f 0755 ");
  cache_gets (false);
  assert_int_equal (cache_collect (IMAGE_CACHE_FOREVER), 0);
  image_root_release (&root);
  assert_int_equal (cache_collect (0), 2);
  assert_int_equal (cache_count (""), 0);
}

static void test_changed_image_is_another_tree (void **state)
{
  char first[SHA256_HEX], second[SHA256_HEX];

  (void) state;
  cache_make_image ("1", first);
  cache_gets (true);
  cache_make_image ("2", second);
  cache_gets (true);
  LOOKS (cache_in_tree (first, "rootfs/f"), "f 0644 1");
  LOOKS (cache_in_tree (second, "rootfs/f"), "f 0644 2");
}

static void break_mark (const char *hex)
{
  assert_int_equal (unlink (cache_in_tree (hex, "complete")), 0);
}

static void empty_mark (const char *hex)
{
  case_write_text (cache_in_tree (hex, "complete"), "");
}

static void wrong_mark (const char *hex)
{
  case_write_text (cache_in_tree (hex, "complete"),
                   "{\"schema\": \"tyrum-oci/image-tree/1\", \"manifest\": "
                   "\"0000000000000000000000000000000000000000000000000000000000000000\"}");
}

static void other_mark (const char *hex)
{
  cleanup_free char *text =
      str_format ("{\"schema\": \"tyrum-oci/image-tree/2\", \"manifest\": \"%s\"}", hex);

  assert_non_null (text);
  case_write_text (cache_in_tree (hex, "complete"), text);
}

static void no_root (const char *hex)
{
  cleanup_free char *root = strdup (cache_in_tree (hex, "rootfs"));

  assert_non_null (root);
  assert_int_equal (rename (root, cache_in_tree (hex, "elsewhere")), 0);
}

static void link_root (const char *hex)
{
  no_root (hex);
  assert_int_equal (symlink ("elsewhere", cache_in_tree (hex, "rootfs")), 0);
}

static void link_tree (const char *hex)
{
  assert_int_equal (rename (cache_in_tree (hex, ""), "moved"), 0);
  assert_int_equal (symlink ("../../moved", cache_in_tree (hex, "")), 0);
}

static void file_tree (const char *hex)
{
  assert_int_equal (rename (cache_in_tree (hex, ""), "moved"), 0);
  case_write_text (cache_in_tree (hex, ""), "x");
}

/* Whatever is not a complete tree is made anew, once. */
static void test_half_trees_are_made_again (void **state)
{
  static void (*const breaks[]) (const char *) = { break_mark, empty_mark, wrong_mark, other_mark,
                                                   no_root,    link_root,  link_tree,  file_tree };
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  for (size_t i = 0; i < ARRAY_LEN (breaks); i++) {
    print_message ("# %zu\n", i);
    cache_gets (i == 0);
    breaks[i](hex);
    cache_gets (true);
    assert_int_equal (cache_count (""), 2);
    LOOKS (cache_in_tree (hex, "rootfs/f"), "f 0644 1");
    if (breaks[i] == link_tree || breaks[i] == file_tree) {
      LOOKS ("moved/rootfs/f", "f 0644 1");
      assert_int_equal (system ("chmod -R u+rwx moved && rm -r moved"), 0);
    }
  }
}

static void test_failure_leaves_nothing (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  const struct image_unpack_options narrow = { .entries_max = 3 };
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  assert_int_equal (cache_get (&narrow, &root, &err), -EFBIG);
  assert_int_equal (cache_count ("sha256-"), 1);
  assert_int_equal (cache_count (".tmp-"), 0);
  assert_int_equal (cache_collect (IMAGE_CACHE_FOREVER), 0);
  assert_int_equal (cache_count (""), 0);
  cache_gets (true);
}

/* A disk on which no file can grow: the error is the system's, and nothing is left. */
static void test_write_failure (void **state)
{
  char hex[SHA256_HEX];
  pid_t child;

  (void) state;
  cache_make_image ("a text that is longer than sixteen bytes", hex);
  child = fork ();
  assert_true (child >= 0);
  if (child == 0) {
    struct error err = { 0 };
    struct image_root root = { .fd = -1, .lock = -1 };
    const struct rlimit limit = { 16, 16 };

    signal (SIGXFSZ, SIG_IGN);
    if (setrlimit (RLIMIT_FSIZE, &limit) < 0)
      _exit (2);
    _exit (cache_get (&plain, &root, &err) == -EFBIG && strstr (error_text (&err), "'f': File too large")
               ? 0
               : 1);
  }
  assert_int_equal (cache_reap (child), 0);
  assert_int_equal (cache_count (".tmp-"), 0);
  cache_gets (true);
}

static void test_killed_unpacker (void **state)
{
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  cache_kill_unpacker ();
  assert_int_equal (cache_count (".tmp-"), 1);
  LOOKS (cache_in_tree (hex, ""), "-");
  /* The next one cleans up and succeeds. */
  cache_gets (true);
  assert_int_equal (cache_count (".tmp-"), 0);
  assert_int_equal (cache_count (""), 2);
}

/* Slow enough for others to come in between. */
static int dawdle (void *data, const struct image_progress *progress)
{
  (void) data;
  if (progress->stage == IMAGE_STAGE_UNPACK)
    usleep (50 * 1000);
  return 0;
}

static void test_unpackers_at_once (void **state)
{
  pid_t children[4];
  char hex[SHA256_HEX];
  unsigned fresh = 0;
  int gate[2];

  (void) state;
  cache_make_image ("1", hex);
  assert_int_equal (pipe (gate), 0);
  for (size_t i = 0; i < ARRAY_LEN (children); i++) {
    children[i] = fork ();
    assert_true (children[i] >= 0);
    if (children[i] == 0) {
      const struct image_unpack_options options = { .tell = dawdle };
      struct error err = { 0 };
      struct image_root root = { .fd = -1, .lock = -1 };
      char byte;

      close (gate[1]);
      /* All start when the gate closes. */
      if (read (gate[0], &byte, 1) != 0 || cache_get (&options, &root, &err) < 0)
        _exit (2);
      _exit (faccessat (root.fd, "closed/f", F_OK, 0) < 0 ? 3 : root.fresh);
    }
  }
  close (gate[0]);
  close (gate[1]);
  for (size_t i = 0; i < ARRAY_LEN (children); i++) {
    int code = cache_reap (children[i]);

    CHECK (code == 0 || code == 1, "child %zu: %d", i, code);
    fresh += (unsigned) code;
  }
  assert_int_equal (fresh, 1);
  assert_int_equal (cache_count (""), 2);
}

static int note_wait (void *data, const struct image_progress *progress)
{
  int *gate = data;

  if (progress->stage != IMAGE_STAGE_WAIT)
    return 0;
  /* Lets the other one go on. */
  close (gate[1]);
  gate[1] = -1;
  return 0;
}

static int wait_at_gate (void *data, const struct image_progress *progress)
{
  int *gate = data;
  char byte = 'x';

  if (progress->stage == IMAGE_STAGE_UNPACK && progress->layer == 1 && progress->bytes == 0) {
    /* Says that the lock is held, then waits until the gate is closed at the other end. */
    if (write (gate[3], &byte, 1) != 1 || read (gate[0], &byte, 1) != 0)
      _exit (4);
  }
  return 0;
}

static void test_waiting_is_told (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  struct image_unpack_options options = { .tell = note_wait };
  char hex[SHA256_HEX], byte;
  int gate[4]; /* 0, 1: to the child; 2, 3: from it */
  pid_t child;

  (void) state;
  cache_make_image ("1", hex);
  assert_int_equal (pipe (gate), 0);
  assert_int_equal (pipe (gate + 2), 0);
  child = fork ();
  assert_true (child >= 0);
  if (child == 0) {
    struct image_unpack_options slow = { .tell = wait_at_gate, .tell_data = gate };

    close (gate[1]);
    _exit (cache_get (&slow, &root, &err) == 0 && root.fresh ? 0 : 1);
  }
  close (gate[0]);
  assert_int_equal (read (gate[2], &byte, 1), 1);
  options.tell_data = gate;
  CHECK (cache_get (&options, &root, &err) == 0, "%s", error_text (&err));
  assert_false (root.fresh);
  assert_int_equal (gate[1], -1);
  assert_int_equal (cache_reap (child), 0);
  close (gate[2]);
  close (gate[3]);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, case_enter_kernel, case_leave)

static const struct CMUnitTest cases[] = {
  IN_DIRECTORY (test_gets_and_keeps),
  IN_DIRECTORY (test_setid_is_another_tree),
  IN_DIRECTORY (test_changed_image_is_another_tree),
  IN_DIRECTORY (test_half_trees_are_made_again),
  IN_DIRECTORY (test_failure_leaves_nothing),
  IN_DIRECTORY (test_write_failure),
  IN_DIRECTORY (test_killed_unpacker),
  IN_DIRECTORY (test_unpackers_at_once),
  IN_DIRECTORY (test_waiting_is_told),
};

int main (void)
{
  if (!HAVE_LIBARCHIVE)
    return 77;
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, NULL, NULL);
}
