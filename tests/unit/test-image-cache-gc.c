/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cache removes, what it leaves alone, and whom it trusts. */
#include <config.h>

#include "image-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base-str.h"
#include "image-cache-case.h"
#include "image-cache-internal.h"

static void test_gc_after_killed_unpacker (void **state)
{
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  cache_kill_unpacker ();
  cache_kill_unpacker ();
  assert_int_equal (cache_count (".tmp-"), 1);
  assert_int_equal (cache_collect (IMAGE_CACHE_FOREVER), 1);
  assert_int_equal (cache_count (""), 0);
  cache_gets (true);
}

static void test_gc_spares_what_is_used (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  CHECK (cache_get (&plain, &root, &err) == 0, "%s", error_text (&err));
  assert_int_equal (cache_collect (0), 0);
  LOOKS (cache_in_tree (hex, "rootfs/f"), "f 0644 1");
  image_root_release (&root);
  assert_int_equal (cache_collect (0), 1);
  assert_int_equal (cache_count (""), 0);
}

static void set_age (const char *hex, time_t seconds)
{
  const struct timespec times[2] = { { .tv_sec = time (NULL) - seconds },
                                     { .tv_sec = time (NULL) - seconds } };

  assert_int_equal (utimensat (AT_FDCWD, cache_in_tree (hex, "complete"), times, 0), 0);
}

static void test_gc_by_age (void **state)
{
  char old[SHA256_HEX], young[SHA256_HEX];

  (void) state;
  cache_make_image ("1", old);
  cache_gets (true);
  cache_make_image ("2", young);
  cache_gets (true);
  set_age (old, 1000);
  set_age (young, 100);
  assert_int_equal (cache_collect (IMAGE_CACHE_FOREVER), 0);
  assert_int_equal (cache_collect (2000), 0);
  assert_int_equal (cache_collect (500), 1);
  LOOKS (cache_in_tree (old, ""), "-");
  LOOKS (cache_in_tree (young, "rootfs/f"), "f 0644 2");
  /* Use makes it young. */
  set_age (young, 1000);
  cache_gets (false);
  assert_int_equal (cache_collect (500), 0);
  set_age (young, 1000);
  assert_int_equal (cache_collect (500), 1);
}

static void test_gc_leaves_strangers_alone (void **state)
{
  static const char *const strangers[] = {
    "state/images/README",
    "state/images/sha256-abc",
    "state/images/.tmp-sha256-abc-0123456789abcdef",
    "state/images/sha256-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.old",
    "state/images/.tmp-sha256-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-short",
  };
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  cache_gets (true);
  for (size_t i = 0; i < ARRAY_LEN (strangers); i++)
    case_write_text (strangers[i], "x");
  assert_int_equal (cache_collect (0), 1);
  for (size_t i = 0; i < ARRAY_LEN (strangers); i++)
    LOOKS (strangers[i], "f 0644 x");
  assert_int_equal (cache_count (""), ARRAY_LEN (strangers));
}

/* Users and gc at the same time: every user gets a whole tree, and keeps it while it holds it. */
static void test_get_against_gc (void **state)
{
  pid_t children[3];
  char hex[SHA256_HEX];

  (void) state;
  cache_make_image ("1", hex);
  for (size_t i = 0; i < ARRAY_LEN (children); i++) {
    children[i] = fork ();
    assert_true (children[i] >= 0);
    if (children[i] == 0) {
      for (unsigned turn = 0; turn < 10; turn++) {
        struct error err = { 0 };
        struct image_root root = { .fd = -1, .lock = -1 };

        if (cache_get (&plain, &root, &err) < 0)
          _exit (2);
        usleep (5000);
        if (faccessat (root.fd, "f", F_OK, 0) < 0 || faccessat (root.fd, "closed/f", F_OK, 0) < 0)
          _exit (3);
        image_root_release (&root);
      }
      _exit (0);
    }
  }
  for (unsigned turn = 0; turn < 40; turn++) {
    cache_collect (0);
    usleep (3000);
  }
  for (size_t i = 0; i < ARRAY_LEN (children); i++)
    assert_int_equal (cache_reap (children[i]), 0);
  cache_collect (0);
  assert_int_equal (cache_count (""), 0);
}

/* Who waits for a lock whose file is replaced meanwhile must not end up with a lock that nobody else sees. */
static void test_lock_of_a_replaced_file (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_cache struct image_cache cache = { .fd = -1 };
  struct stat ours, current;
  int lock = -1, ready[2];
  char byte;
  pid_t child;

  (void) state;
  CHECK (image_cache_open ("state", &cache, &err) == 0, "%s", error_text (&err));
  assert_int_equal (image_cache_lock (&cache, "x", LOCK_EX, &lock), 0);
  assert_int_equal (image_cache_lock (&cache, "x", LOCK_SH | LOCK_NB, &ready[0]), -EWOULDBLOCK);
  assert_int_equal (pipe (ready), 0);
  child = fork ();
  assert_true (child >= 0);
  if (child == 0) {
    close (lock);
    if (write (ready[1], "x", 1) != 1 || image_cache_lock (&cache, "x", LOCK_EX, &lock) < 0)
      _exit (1);
    if (fstat (lock, &ours) < 0 || stat ("state/images/x.lock", &current) < 0)
      _exit (2);
    _exit (ours.st_ino == current.st_ino ? 0 : 3);
  }
  assert_int_equal (read (ready[0], &byte, 1), 1);
  /* Time for the child to wait at the lock; if it is slower, it finds the new file at once. */
  usleep (100 * 1000);
  case_write_text ("new", "");
  assert_int_equal (rename ("new", "state/images/x.lock"), 0);
  close (lock);
  assert_int_equal (cache_reap (child), 0);
  close (ready[0]);
  close (ready[1]);
}

static int open_cache (const char *path, struct error *err)
{
  cleanup_image_cache struct image_cache cache = { .fd = -1 };

  return image_cache_open (path, &cache, err);
}

static void test_opening (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  CHECK (open_cache ("a/b/state", &err) == 0, "%s", error_text (&err));
  LOOKS ("a/b/state/images", "d 0700");
  /* Others may have looked, but not written. */
  assert_int_equal (chmod ("a/b/state/images", 0755), 0);
  CHECK (open_cache ("a/b/state", &err) == 0, "%s", error_text (&err));
  LOOKS ("a/b/state/images", "d 0700");
  assert_int_equal (chmod ("a/b/state/images", 0770), 0);
  assert_int_equal (open_cache ("a/b/state", &err), -EPERM);
  assert_string_equal (error_text (&err),
                       "image cache 'a/b/state/images' can be written by others: remove it, or name "
                       "another state directory");
  error_clear (&err);
  assert_int_equal (rename ("a/b/state/images", "a/b/state/real"), 0);
  assert_int_equal (symlink ("real", "a/b/state/images"), 0);
  assert_true (open_cache ("a/b/state", &err) < 0);
  error_clear (&err);
  case_write_text ("file", "");
  assert_int_equal (open_cache ("file/state", &err), -ENOTDIR);
  assert_string_equal (error_text (&err), "cannot make the state directory 'file/state': Not a directory");
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, case_enter_kernel, case_leave)

static const struct CMUnitTest cases[] = {
  IN_DIRECTORY (test_gc_after_killed_unpacker),
  IN_DIRECTORY (test_gc_spares_what_is_used),
  IN_DIRECTORY (test_gc_by_age),
  IN_DIRECTORY (test_gc_leaves_strangers_alone),
  IN_DIRECTORY (test_get_against_gc),
  IN_DIRECTORY (test_lock_of_a_replaced_file),
  IN_DIRECTORY (test_opening),
};

int main (void)
{
  if (!HAVE_LIBARCHIVE)
    return 77;
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (cases, NULL, NULL);
}
