/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface to files: what is read, what is refused, what is trusted, and what a write leaves behind. */
#include <config.h>

#include "base-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "unit.h"

/* Every test works in a directory of its own, which is also the working directory. /tmp is root's and sticky.
 */
static int enter_directory (void **state)
{
  char *directory = strdup ("/tmp/tyrum-oci-test-file-XXXXXX");

  if (directory == NULL || mkdtemp (directory) == NULL || chdir (directory) < 0)
    return -1;
  umask (022);
  *state = directory;
  return 0;
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
  int r = chdir ("/");

  if (r == 0)
    r = nftw (*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  free (*state);
  return r;
}

static void put (const char *path, const char *text, mode_t mode)
{
  FILE *f = fopen (path, "w");

  assert_non_null (f);
  assert_true (fputs (text, f) >= 0);
  assert_int_equal (fclose (f), 0);
  assert_int_equal (chmod (path, mode), 0);
}

static void make_directory (const char *path, mode_t mode)
{
  assert_int_equal (mkdir (path, 0700), 0);
  assert_int_equal (chmod (path, mode), 0);
}

static size_t count_entries (const char *path)
{
  DIR *dir = opendir (path);
  size_t count = 0;

  assert_non_null (dir);
  for (const struct dirent *e = readdir (dir); e != NULL; e = readdir (dir))
    count++;
  closedir (dir);
  return count - 2;
}

static void assert_reads (const char *path, size_t max, const char *expected)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  size_t len = 4711;

  assert_int_equal (file_read (AT_FDCWD, path, max, &text, &len, &err), 0);
  assert_false (error_is_set (&err));
  assert_int_equal (len, strlen (expected));
  assert_string_equal (text, expected);
}

/* Both readers refuse it, with the same words. */
static void assert_refused (const char *path, size_t max, int code, const char *message)
{
  cleanup_error struct error err = { 0 }, err_trusted = { 0 };
  char *text = NULL;
  size_t len = 4711;
  bool trusted = true;

  assert_int_equal (file_read (AT_FDCWD, path, max, &text, &len, &err), code);
  assert_string_equal (error_text (&err), message);
  assert_int_equal (file_read_trusted (path, NULL, max, &text, &len, &trusted, NULL, &err_trusted), code);
  assert_string_equal (error_text (&err_trusted), message);
  /* Outputs are written only on success. */
  assert_null (text);
  assert_int_equal (len, 4711);
  assert_true (trusted);
}

static bool is_trusted (const char *path)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  bool trusted = false;

  if (file_read_trusted (path, NULL, 100, &text, NULL, &trusted, NULL, &err) < 0)
    fail_msg ("%s", error_text (&err));
  assert_string_equal (text, "{}");
  return trusted;
}

static void test_reads_whole_files (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  cleanup_close int directory = open (*state, O_PATH | O_DIRECTORY | O_CLOEXEC);

  put ("plain", "one\ntwo\n", 0644);
  put ("empty", "", 0644);
  assert_reads ("plain", 100, "one\ntwo\n");
  assert_reads ("empty", 100, "");
  assert_reads ("empty", 0, "");
  assert_int_equal (chdir ("/"), 0);
  assert_int_equal (file_read (directory, "plain", 100, &text, NULL, &err), 0);
  assert_string_equal (text, "one\ntwo\n");
}

static void test_bound_is_exact (void **state)
{
  (void) state;
  put ("ten", "0123456789", 0644);
  assert_reads ("ten", 10, "0123456789");
  assert_reads ("ten", SIZE_MAX, "0123456789");
  assert_refused ("ten", 9, -EFBIG, "cannot read 'ten': larger than 9 bytes");
  assert_refused ("ten", 0, -EFBIG, "cannot read 'ten': larger than 0 bytes");
}

static void test_keeps_nul_inside (void **state)
{
  static const char bytes[] = "a\0b";
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  size_t len = 0;

  (void) state;
  assert_int_equal (file_write_atomic (AT_FDCWD, "nul", bytes, 3, 0644, &err), 0);
  assert_int_equal (file_read (AT_FDCWD, "nul", 100, &text, &len, &err), 0);
  assert_int_equal (len, 3);
  assert_memory_equal (text, bytes, 4);
}

/* Sparse, so it costs nothing unless somebody reads it. */
static void test_refuses_2gb_by_size (void **state)
{
  (void) state;
  put ("huge", "", 0644);
  assert_int_equal (truncate ("huge", (off_t) 2 * 1024 * 1024 * 1024), 0);
  assert_refused ("huge", 1048576, -EFBIG, "cannot read 'huge': larger than 1048576 bytes");
  assert_int_equal (truncate ("huge", 0), 0);
  assert_reads ("huge", 1048576, "");
}

static void test_refuses_what_is_no_file (void **state)
{
  (void) state;
  assert_int_equal (mkfifo ("fifo", 0644), 0);
  make_directory ("directory", 0755);
  assert_refused ("fifo", 100, -EINVAL, "cannot read 'fifo': not a regular file");
  assert_refused ("/dev/null", 100, -EINVAL, "cannot read '/dev/null': not a regular file");
  assert_refused ("directory", 100, -EISDIR, "cannot read 'directory': it is a directory");
  assert_refused ("absent", 100, -ENOENT, "cannot read 'absent': No such file or directory");
  assert_refused ("", 100, -ENOENT, "cannot read '': No such file or directory");
}

/* Their size is said to be 0. */
static void test_reads_proc (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  size_t len = 0;

  (void) state;
  assert_int_equal (file_read (AT_FDCWD, "/proc/self/status", 65536, &text, &len, &err), 0);
  assert_int_equal (len, strlen (text));
  assert_non_null (strstr (text, "\nPid:\t"));
  assert_refused ("/proc/self/status", 10, -EFBIG, "cannot read '/proc/self/status': larger than 10 bytes");
}

/* Longer than the first buffer, with a size that is not known beforehand: a line for every second page. */
static void test_reads_long_proc (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;
  size_t page = (size_t) sysconf (_SC_PAGESIZE), pages = 1000, len = 0;
  char *area = mmap (NULL, pages * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  (void) state;
  assert_true (area != MAP_FAILED);
  for (size_t i = 0; i < pages; i += 2)
    assert_int_equal (mprotect (area + i * page, page, PROT_NONE), 0);
  assert_int_equal (file_read (AT_FDCWD, "/proc/self/maps", (size_t) 1 << 20, &text, &len, &err), 0);
  assert_true (len > 20000);
  assert_int_equal (text[len - 1], '\n');
  assert_refused ("/proc/self/maps", 20000, -EFBIG, "cannot read '/proc/self/maps': larger than 20000 bytes");
  munmap (area, pages * page);
}

static void test_trust_depends_on_mode (void **state)
{
  (void) state;
  put ("a.json", "{}", 0644);
  assert_true (is_trusted ("a.json"));
  assert_int_equal (chmod ("a.json", 0600), 0);
  assert_true (is_trusted ("a.json"));
  assert_int_equal (chmod ("a.json", 0664), 0);
  assert_false (is_trusted ("a.json"));
  assert_int_equal (chmod ("a.json", 0646), 0);
  assert_false (is_trusted ("a.json"));
  /* The sticky bit means nothing on a file. */
  assert_int_equal (chmod ("a.json", 01646), 0);
  assert_false (is_trusted ("a.json"));
}

static void test_trust_depends_on_directories (void **state)
{
  (void) state;
  make_directory ("a", 0755);
  make_directory ("a/b", 0755);
  put ("a/b/c.json", "{}", 0644);
  assert_true (is_trusted ("a/b/c.json"));
  assert_int_equal (chmod ("a", 0775), 0);
  assert_false (is_trusted ("a/b/c.json"));
  assert_false (is_trusted ("a/b/../b/./c.json"));
  assert_int_equal (chmod ("a", 0757), 0);
  assert_false (is_trusted ("a/b/c.json"));
  assert_int_equal (chmod ("a", 01777), 0);
  assert_true (is_trusted ("a/b/c.json"));
  assert_int_equal (chmod ("a/b", 0775), 0);
  assert_false (is_trusted ("a/b/c.json"));
}

/* A relative path is no better than the directory that it starts in. */
static void test_trust_of_working_directory (void **state)
{
  cleanup_free char *whole = str_format ("%s/a.json", (char *) *state);

  put ("a.json", "{}", 0644);
  assert_true (is_trusted ("a.json"));
  assert_true (is_trusted (whole));
  assert_int_equal (chmod (*state, 0777), 0);
  assert_false (is_trusted ("a.json"));
  assert_false (is_trusted (whole));
}

/* Whoever may set the link decides what is read, though the file itself is sound. */
static void test_trust_depends_on_links (void **state)
{
  cleanup_free char *absolute = str_format ("%s/sound/a.json", (char *) *state);

  make_directory ("sound", 0755);
  put ("sound/a.json", "{}", 0644);
  make_directory ("links", 0755);
  assert_int_equal (symlink ("../sound/a.json", "links/relative"), 0);
  assert_int_equal (symlink (absolute, "links/absolute"), 0);
  assert_int_equal (symlink ("../sound", "links/directory"), 0);
  assert_int_equal (symlink ("relative", "links/second"), 0);
  assert_true (is_trusted ("links/relative"));
  assert_true (is_trusted ("links/absolute"));
  assert_true (is_trusted ("links/directory/a.json"));
  assert_true (is_trusted ("links/second"));
  assert_int_equal (chmod ("links", 0777), 0);
  assert_false (is_trusted ("links/relative"));
  assert_false (is_trusted ("links/absolute"));
  assert_false (is_trusted ("links/directory/a.json"));
  assert_true (is_trusted ("sound/a.json"));
}

/* And a sound link is no better than where it leads. */
static void test_trust_behind_links (void **state)
{
  (void) state;
  make_directory ("open", 0777);
  put ("open/a.json", "{}", 0644);
  make_directory ("links", 0755);
  assert_int_equal (symlink ("../open/a.json", "links/file"), 0);
  assert_false (is_trusted ("links/file"));
  assert_int_equal (chmod ("open", 0755), 0);
  assert_true (is_trusted ("links/file"));
}

/* In a sticky directory anyone can give a file of ours a second name. */
static void test_trust_of_second_names (void **state)
{
  (void) state;
  make_directory ("sticky", 01777);
  make_directory ("own", 0755);
  put ("sticky/a.json", "{}", 0644);
  assert_true (is_trusted ("sticky/a.json"));
  assert_int_equal (link ("sticky/a.json", "own/b.json"), 0);
  assert_false (is_trusted ("sticky/a.json"));
  assert_true (is_trusted ("own/b.json"));
}

static void test_walk_ends_as_the_kernel_does (void **state)
{
  char name[300];

  (void) state;
  put ("a.json", "{}", 0644);
  assert_int_equal (symlink ("loop", "loop"), 0);
  assert_int_equal (symlink ("nowhere", "dangling"), 0);
  memset (name, 'n', sizeof (name) - 1);
  name[sizeof (name) - 1] = '\0';
  assert_true (is_trusted (".//a.json"));
  assert_refused ("a.json/", 100, -ENOTDIR, "cannot read 'a.json/': Not a directory");
  assert_refused ("a.json/b", 100, -ENOTDIR, "cannot read 'a.json/b': Not a directory");
  assert_refused ("loop", 100, -ELOOP, "cannot read 'loop': Too many levels of symbolic links");
  assert_refused ("dangling", 100, -ENOENT, "cannot read 'dangling': No such file or directory");
  {
    cleanup_free char *message = str_format ("cannot read '%s': File name too long", name);
    assert_refused (name, 100, -ENAMETOOLONG, message);
  }
}

/* Needs root: a file, a directory and a link that belong to somebody else. */
static void test_trust_depends_on_owner (void **state)
{
  (void) state;
  make_directory ("a", 0755);
  put ("a/b.json", "{}", 0644);
  make_directory ("sticky", 01777);
  assert_int_equal (symlink ("../a/b.json", "sticky/link"), 0);
  assert_true (is_trusted ("a/b.json"));
  assert_true (is_trusted ("sticky/link"));
  assert_int_equal (chown ("a/b.json", 12345, 0), 0);
  assert_false (is_trusted ("a/b.json"));
  assert_int_equal (chown ("a/b.json", 0, 12345), 0);
  assert_true (is_trusted ("a/b.json"));
  assert_int_equal (lchown ("sticky/link", 12345, 0), 0);
  assert_false (is_trusted ("sticky/link"));
  assert_int_equal (lchown ("sticky/link", 0, 0), 0);
  assert_int_equal (chown ("a", 12345, 0), 0);
  assert_false (is_trusted ("a/b.json"));
}

/* Needs root: what an ordinary user owns, and root's files, are both sound to that user. */
static void test_trust_of_effective_user (void **state)
{
  bool own, roots, foreign;

  make_directory ("a", 0755);
  assert_int_equal (chmod (*state, 0755), 0);
  put ("a/own", "{}", 0644);
  put ("a/roots", "{}", 0644);
  put ("a/foreign", "{}", 0644);
  assert_int_equal (chown ("a/own", 12345, 0), 0);
  assert_int_equal (chown ("a/foreign", 12346, 0), 0);
  assert_int_equal (seteuid (12345), 0);
  own = is_trusted ("a/own");
  roots = is_trusted ("a/roots");
  foreign = is_trusted ("a/foreign");
  assert_int_equal (seteuid (0), 0);
  assert_true (own);
  assert_true (roots);
  assert_false (foreign);
}

static void assert_mode (const char *path, mode_t mode)
{
  struct stat st;

  assert_int_equal (lstat (path, &st), 0);
  assert_int_equal (st.st_mode, S_IFREG | mode);
}

static void test_write_makes_and_replaces (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_close int directory = open (*state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  umask (077);
  assert_int_equal (file_write_atomic (directory, "out", "first", 5, 0644, &err), 0);
  assert_reads ("out", 100, "first");
  assert_mode ("out", 0644);
  umask (0);
  assert_int_equal (file_write_atomic (AT_FDCWD, "out", "", 0, 0600, &err), 0);
  assert_reads ("out", 100, "");
  assert_mode ("out", 0600);
  make_directory ("sub", 0755);
  assert_int_equal (file_write_atomic (directory, "sub/out", "deep", 4, 0400, &err), 0);
  assert_reads ("sub/out", 100, "deep");
  assert_int_equal (count_entries ("."), 2);
  assert_int_equal (count_entries ("sub"), 1);
}

/* One who has the old file open keeps it whole. */
static void test_write_leaves_open_readers_alone (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_close int old = -1;
  char text[16] = { 0 };

  (void) state;
  put ("out", "old", 0644);
  old = open ("out", O_RDONLY | O_CLOEXEC);
  assert_int_equal (file_write_atomic (AT_FDCWD, "out", "new", 3, 0644, &err), 0);
  assert_int_equal (read (old, text, sizeof (text)), 3);
  assert_string_equal (text, "old");
  assert_reads ("out", 100, "new");
}

static void test_write_replaces_links (void **state)
{
  cleanup_error struct error err = { 0 };

  (void) state;
  put ("victim", "keep", 0644);
  assert_int_equal (symlink ("victim", "out"), 0);
  assert_int_equal (file_write_atomic (AT_FDCWD, "out", "new", 3, 0644, &err), 0);
  assert_mode ("out", 0644);
  assert_reads ("victim", 100, "keep");
  assert_reads ("out", 100, "new");
}

static void assert_write_fails (const char *path, int code, const char *message)
{
  cleanup_error struct error err = { 0 };

  assert_int_equal (file_write_atomic (AT_FDCWD, path, "x", 1, 0644, &err), code);
  assert_string_equal (error_text (&err), message);
}

static void test_write_failure_leaves_nothing (void **state)
{
  (void) state;
  make_directory ("directory", 0755);
  assert_write_fails ("directory", -EISDIR, "cannot write 'directory': Is a directory");
  assert_write_fails ("absent/out", -ENOENT, "cannot write 'absent/out': No such file or directory");
  assert_write_fails ("directory/", -EINVAL, "cannot write 'directory/': it does not name a file");
  assert_write_fails ("directory/..", -EINVAL, "cannot write 'directory/..': it does not name a file");
  assert_write_fails ("", -EINVAL, "cannot write '': it does not name a file");
  assert_int_equal (count_entries ("."), 1);
  assert_int_equal (count_entries ("directory"), 0);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown (test, enter_directory, leave_directory)

int main (void)
{
  const struct CMUnitTest tests[] = {
    IN_DIRECTORY (test_reads_whole_files),
    IN_DIRECTORY (test_bound_is_exact),
    IN_DIRECTORY (test_keeps_nul_inside),
    IN_DIRECTORY (test_refuses_2gb_by_size),
    IN_DIRECTORY (test_refuses_what_is_no_file),
    IN_DIRECTORY (test_reads_proc),
    IN_DIRECTORY (test_reads_long_proc),
    IN_DIRECTORY (test_trust_depends_on_mode),
    IN_DIRECTORY (test_trust_depends_on_directories),
    IN_DIRECTORY (test_trust_of_working_directory),
    IN_DIRECTORY (test_trust_depends_on_links),
    IN_DIRECTORY (test_trust_behind_links),
    IN_DIRECTORY (test_trust_of_second_names),
    IN_DIRECTORY (test_walk_ends_as_the_kernel_does),
    IN_DIRECTORY (test_write_makes_and_replaces),
    IN_DIRECTORY (test_write_leaves_open_readers_alone),
    IN_DIRECTORY (test_write_replaces_links),
    IN_DIRECTORY (test_write_failure_leaves_nothing),
  };
  /* With root's rights also what only root can set up; still one group, as there is one plan in TAP. */
  struct CMUnitTest as_root[ARRAY_LEN (tests) + 2] = {
    IN_DIRECTORY (test_trust_depends_on_owner),
    IN_DIRECTORY (test_trust_of_effective_user),
  };

  cmocka_set_message_output (CM_OUTPUT_TAP);
  if (geteuid () != 0)
    return cmocka_run_group_tests (tests, NULL, NULL);
  memcpy (as_root + 2, tests, sizeof (tests));
  return cmocka_run_group_tests (as_root, NULL, NULL);
}
