/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled filters: made as a runtime makes them, kept, and never trusted when they are not ours. */
#include <config.h>

#include "supervisor-filter-cache.h"

#include <sys/stat.h>

#include "seccomp-case.h"

struct kept {
  char storage[64];
  struct filter *filter;
  char *file;
};

static int set_up (void **state)
{
  struct kept *kept = calloc (1, sizeof (*kept));
  cleanup_seccomp_list struct seccomp_list *list = shipped_list ("strict");
  char name[SHA256_HEX];

  assert_non_null (kept);
  strcpy (kept->storage, "/tmp/tyrum-unit-XXXXXX");
  assert_non_null (mkdtemp (kept->storage));
  kept->filter = build_filter (list, NULL, machines[0].name);
  filter_program_name (kept->filter, FILTER_ERRNO, name);
  kept->file = str_format ("%s/filters/%s", kept->storage, name);
  assert_non_null (kept->file);
  *state = kept;
  return 0;
}

static int tear_down (void **state)
{
  struct kept *kept = *state;
  cleanup_free char *directory = str_format ("%s/filters", kept->storage);

  unlink (kept->file);
  rmdir (directory);
  rmdir (kept->storage);
  filter_free (kept->filter);
  free (kept->file);
  free (kept);
  return 0;
}

static struct seccomp_program get (const struct kept *kept)
{
  cleanup_error struct error err = { 0 };
  uint8_t *bytes = NULL;
  size_t size = 0;

  CHECK (filter_cache_get (kept->storage, kept->filter, FILTER_ERRNO, &bytes, &size, &err) == 0, "%s",
         error_text (&err));
  return (struct seccomp_program){ (void *) bytes, size / sizeof (struct sock_filter) };
}

#define X32 0x40000000

static bool same (const struct seccomp_program *a, const struct seccomp_program *b)
{
  return a->count == b->count && memcmp (a->code, b->code, a->count * sizeof (*a->code)) == 0;
}

/* Both programs' answers to one call; and to the same call of another architecture. */
static void check_same_answer (const struct seccomp_program *a, const struct seccomp_program *b,
                               struct seccomp_data data)
{
  for (unsigned i = 0; i < 2; i++) {
    uint32_t one = seccomp_run (a, &data), other = seccomp_run (b, &data);

    CHECK (one == other, "call %d of 0x%x: 0x%x and 0x%x", data.nr, data.arch, one, other);
    data.arch = SCMP_ARCH_X86;
  }
}

/* NUMBER with everything that a rule of FILTER compares an argument with, and what differs from it by a bit.
 */
static void check_arguments (const struct kept *kept, const struct seccomp_program *a,
                             const struct seccomp_program *b, struct seccomp_data data)
{
  for (size_t i = 0; i < kept->filter->rule_count; i++)
    for (size_t j = 0; j < kept->filter->rules[i].arg_count; j++) {
      const struct filter_arg *arg = &kept->filter->rules[i].args[j];

      data.args[arg->index] = arg->datum;
      check_same_answer (a, b, data);
      data.args[arg->index] = arg->datum ^ (UINT64_C (1) << (i + (size_t) data.nr) % 64);
      check_same_answer (a, b, data);
    }
}

/* What is kept answers as what a runtime would have made does, though it is a tree and that a list. */
static void test_as_a_runtime (void **state)
{
  const struct kept *kept = *state;
  cleanup_program struct seccomp_program expected = seccomp_program (kept->filter);
  cleanup_program struct seccomp_program first = get (kept), second = get (kept);

  if (strcmp (kept->filter->architecture, "SCMP_ARCH_X86_64") != 0
      || seccomp_arch_native () != SCMP_ARCH_X86_64)
    return;
  assert_true (same (&first, &second));
  for (int number = -1; number < 600; number++) {
    struct seccomp_data data = { .nr = number, .arch = SCMP_ARCH_X86_64 };

    check_same_answer (&first, &expected, data);
    if (number >= 0)
      check_arguments (kept, &first, &expected, data);
    data.nr = number | X32;
    check_same_answer (&first, &expected, data);
  }
}

static void put (const struct kept *kept, const void *bytes, size_t size, int at, mode_t mode)
{
  cleanup_close int fd = open (kept->file, O_WRONLY | O_CLOEXEC);

  assert_true (fd >= 0);
  assert_int_equal (pwrite (fd, bytes, size, at), size);
  assert_int_equal (fchmod (fd, mode), 0);
}

/* Whatever was done to the file, the answer is the filter, and the file is good again. */
static void check_repaired (const struct kept *kept, const struct seccomp_program *expected)
{
  cleanup_program struct seccomp_program got = get (kept);
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  struct stat st;
  size_t len;

  assert_true (same (&got, expected));
  assert_int_equal (lstat (kept->file, &st), 0);
  assert_true (S_ISREG (st.st_mode) && (st.st_mode & 077) == 0 && st.st_nlink == 1);
  assert_int_equal (file_read (AT_FDCWD, kept->file, LIMIT_PROFILE_BYTES, &text, &len, &err), 0);
  assert_int_equal (len, SHA256_BYTES + expected->count * sizeof (*expected->code));
  assert_memory_equal (text + SHA256_BYTES, expected->code, len - SHA256_BYTES);
}

static void test_damaged (void **state)
{
  static const struct sock_filter allow = { 0x06, 0, 0, SECCOMP_RET_ALLOW };
  const struct kept *kept = *state;
  cleanup_program struct seccomp_program expected = get (kept);
  cleanup_free char *other = str_format ("%s/other", kept->storage);

  /* Another program, its digest left as it was. */
  put (kept, &allow, sizeof (allow), SHA256_BYTES, 0600);
  check_repaired (kept, &expected);
  /* Another digest. */
  put (kept, "x", 1, 3, 0600);
  check_repaired (kept, &expected);
  /* Cut short, and emptied. */
  assert_int_equal (truncate (kept->file, SHA256_BYTES + 8), 0);
  check_repaired (kept, &expected);
  assert_int_equal (truncate (kept->file, 0), 0);
  check_repaired (kept, &expected);
  /* Others may read or write it. */
  put (kept, "", 0, 0, 0620);
  check_repaired (kept, &expected);
  /* It has a second name, by which somebody may write to it later. */
  assert_int_equal (link (kept->file, other), 0);
  check_repaired (kept, &expected);
  assert_int_equal (unlink (other), 0);
  /* A link stands in its place. */
  assert_int_equal (rename (kept->file, other), 0);
  assert_int_equal (symlink (other, kept->file), 0);
  check_repaired (kept, &expected);
  assert_int_equal (unlink (other), 0);
}

/* The name tells every difference of what a program is made from. */
static void test_names (void **state)
{
  const struct kept *kept = *state;
  struct filter *filter = kept->filter;
  char before[SHA256_HEX], told[SHA256_HEX], other[SHA256_HEX];

  filter_program_name (filter, FILTER_ERRNO, before);
  filter_program_name (filter, FILTER_NOTIFIES, told);
  assert_string_not_equal (before, told);
  filter->rules[0].errnum++;
  filter_program_name (filter, FILTER_ERRNO, other);
  assert_string_not_equal (before, other);
  filter->rules[0].errnum--;
  filter->unknown_errnum++;
  filter_program_name (filter, FILTER_ERRNO, other);
  assert_string_not_equal (before, other);
  filter->unknown_errnum--;
  filter_program_name (filter, FILTER_ERRNO, other);
  assert_string_equal (before, other);
}

/* Another list's program under our name, digest and all: its name is part of the digest. */
static void test_foreign (void **state)
{
  const struct kept *kept = *state;
  cleanup_seccomp_list struct seccomp_list *list = shipped_list ("default");
  struct kept loose = *kept;
  cleanup_free char *theirs = NULL;
  char name[SHA256_HEX];
  cleanup_program struct seccomp_program expected = get (kept);

  loose.filter = build_filter (list, NULL, machines[0].name);
  filter_program_name (loose.filter, FILTER_ERRNO, name);
  theirs = str_format ("%s/filters/%s", kept->storage, name);
  {
    cleanup_program struct seccomp_program made = get (&loose);

    assert_false (same (&made, &expected));
  }
  assert_int_equal (rename (theirs, kept->file), 0);
  check_repaired (kept, &expected);
  filter_free (loose.filter);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test_setup_teardown (test_as_a_runtime, set_up, tear_down),
  cmocka_unit_test_setup_teardown (test_damaged, set_up, tear_down),
  cmocka_unit_test_setup_teardown (test_names, set_up, tear_down),
  cmocka_unit_test_setup_teardown (test_foreign, set_up, tear_down),
};

UNIT_MAIN (cases)
