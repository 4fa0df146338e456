/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sealed copies: the same bytes, and nobody can change them. */
#include <config.h>

#include "base-sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "unit.h"

static void test_copy (void **state)
{
  cleanup_close int own = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  cleanup_close int copy = sealed_copy (own);
  char here[4096], there[4096];
  struct stat a, b;

  (void) state;
  assert_true (own >= 0 && copy >= 0);
  assert_true (fstat (own, &a) == 0 && fstat (copy, &b) == 0);
  assert_int_equal (a.st_size, b.st_size);
  for (off_t at = 0; at < a.st_size; at += (off_t) sizeof (here)) {
    ssize_t n = pread (own, here, sizeof (here), at);

    assert_true (n > 0 && pread (copy, there, sizeof (there), at) == n);
    assert_memory_equal (here, there, (size_t) n);
  }
  assert_true (fcntl (copy, F_GETFD) & FD_CLOEXEC);
}

static void test_is_sealed (void **state)
{
  cleanup_close int own = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  cleanup_close int copy = sealed_copy (own);
  cleanup_close int open_file = memfd_create ("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  (void) state;
  assert_true (copy >= 0 && open_file >= 0);
  assert_true (sealed_is (copy));
  assert_int_equal (write (copy, "x", 1), -1);
  assert_int_equal (errno, EPERM);
  assert_int_equal (ftruncate (copy, 0), -1);
  assert_int_equal (errno, EPERM);
  /* The twin: one without seals can be written to, and is seen as such. */
  assert_false (sealed_is (open_file));
  assert_int_equal (write (open_file, "x", 1), 1);
}

static void test_some_seals (void **state)
{
  cleanup_close int file = memfd_create ("half", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  (void) state;
  assert_int_equal (fcntl (file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  assert_false (sealed_is (file));
  assert_int_equal (fcntl (file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL), 0);
  assert_true (sealed_is (file));
}

static void test_can_be_executed (void **state)
{
  cleanup_close int program = open ("/bin/sh", O_RDONLY | O_CLOEXEC);
  cleanup_close int copy = sealed_copy (program);
  char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "exit 42" }, NULL };
  int status = 0;
  pid_t child;

  (void) state;
  assert_true (program >= 0 && copy >= 0);
  child = fork ();
  if (child == 0) {
    fexecve (copy, argv, environ);
    _exit (1);
  }
  assert_int_equal (waitpid (child, &status, 0), child);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 42);
}

static void test_other_files (void **state)
{
  cleanup_close int directory = open ("/", O_RDONLY | O_CLOEXEC);
  cleanup_close int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  (void) state;
  assert_int_equal (sealed_copy (directory), -EISDIR);
  assert_int_equal (sealed_copy (null), -EINVAL);
  assert_int_equal (sealed_copy (-1), -EBADF);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_copy),        cmocka_unit_test (test_is_sealed),
  cmocka_unit_test (test_some_seals),  cmocka_unit_test (test_can_be_executed),
  cmocka_unit_test (test_other_files),
};

UNIT_MAIN (cases)
