/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names in archives, and the log of directories. */
#include <config.h>

#include "image-name-internal.h"

#include <errno.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "image-directories-internal.h"
#include "unit.h"

static void test_normal (void **state)
{
  static const struct {
    const char *name, *normal;
  } rows[] = {
    { "a", "a" },
    { "a/b", "a/b" },
    { "./a", "a" },
    { "/a/b", "a/b" },
    { "//a///b//", "a/b" },
    { "a/", "a" },
    { "./", "" },
    { "/", "" },
    { ".", "" },
    { "", "" },
    { "a/./b/.", "a/b" },
    { "...", "..." },
    { "..a/b..", "..a/b.." },
    { "a b\n", "a b\n" },
    { "a\xff", "a\xff" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    char normal[IMAGE_NAME_SIZE];

    CHECK (image_name_normal (rows[i].name, 8, normal, &err) == 0, "'%s': %s", rows[i].name,
           error_text (&err));
    assert_string_equal (normal, rows[i].normal);
  }
}

static void test_ways_up (void **state)
{
  static const char *const names[] = { "..",  "../a",   "a/..",           "a/../b",
                                       "/..", "./../a", "a/b/../../../c", "..//a" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_error struct error err = { 0 };
    char normal[IMAGE_NAME_SIZE];

    CHECK (image_name_normal (names[i], 8, normal, &err) == -EINVAL, "'%s' was taken", names[i]);
    CHECK (strstr (error_text (&err), "could lead out of the root") != NULL, "%s", error_text (&err));
  }
}

static void test_limits (void **state)
{
  cleanup_error struct error err = { 0 };
  char normal[IMAGE_NAME_SIZE], name[IMAGE_NAME_SIZE + 8];

  (void) state;
  assert_int_equal (image_name_normal ("a/b/c", 3, normal, &err), 0);
  assert_int_equal (image_name_normal ("a/b/c/d", 3, normal, &err), -ENAMETOOLONG);
  assert_string_equal (error_text (&err), "'a/b/c/d' is more than 3 directories deep");
  error_clear (&err);

  memset (name, 'x', sizeof (name));
  name[LIMIT_PATH_BYTES] = '\0';
  assert_int_equal (image_name_normal (name, 3, normal, &err), 0);
  assert_string_equal (normal, name);
  name[LIMIT_PATH_BYTES] = 'x';
  name[LIMIT_PATH_BYTES + 1] = '\0';
  assert_int_equal (image_name_normal (name, 3, normal, &err), -ENAMETOOLONG);
  error_clear (&err);
  /* The slash between counts. */
  name[10] = '/';
  name[LIMIT_PATH_BYTES] = '\0';
  assert_int_equal (image_name_normal (name, 3, normal, &err), 0);
  assert_string_equal (normal, name);
}

static void test_marks (void **state)
{
  static const struct {
    const char *normal;
    enum image_mark mark;
    const char *path;
  } rows[] = {
    { "a/b", IMAGE_MARK_NONE, "a/b" },
    { "", IMAGE_MARK_NONE, "" },
    { "a/.whb", IMAGE_MARK_NONE, "a/.whb" },
    { "a/b.wh.c", IMAGE_MARK_NONE, "a/b.wh.c" },
    { "b.wh./c", IMAGE_MARK_NONE, "b.wh./c" },
    { ".wh.a", IMAGE_MARK_DELETE, "a" },
    { "a/.wh.b", IMAGE_MARK_DELETE, "a/b" },
    { "a/.wh...b", IMAGE_MARK_DELETE, "a/..b" },
    { ".wh..wh..opq", IMAGE_MARK_OPAQUE, "" },
    { "a/b/.wh..wh..opq", IMAGE_MARK_OPAQUE, "a/b" },
    { ".wh..wh.plnk", IMAGE_MARK_AUFS, ".wh..wh.plnk" },
    { ".wh..wh.plnk/1.2", IMAGE_MARK_LINKED, ".wh..wh.plnk/1.2" },
    { ".wh..wh.plnk/1/2", IMAGE_MARK_AUFS, ".wh..wh.plnk/1/2" },
    { ".wh..wh.plnk2/1", IMAGE_MARK_AUFS, ".wh..wh.plnk2/1" },
    { ".wh..wh.aufs", IMAGE_MARK_AUFS, ".wh..wh.aufs" },
    { ".wh..wh.orph/x", IMAGE_MARK_AUFS, ".wh..wh.orph/x" },
  };
  static const char *const refused[] = { ".wh.",      "a/.wh.",          ".wh..",    ".wh...",
                                         "a/.wh...",  "a/.wh..wh.plnk",  ".wh..wh.", ".wh.a/b",
                                         "a/.wh.b/c", "a/.wh..wh..opq/c" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    char name[IMAGE_NAME_SIZE];
    enum image_mark mark = IMAGE_MARK_NONE;

    strcpy (name, rows[i].normal);
    CHECK (image_name_mark (name, &mark, &err) == 0, "'%s': %s", rows[i].normal, error_text (&err));
    CHECK (mark == rows[i].mark, "'%s': %d", rows[i].normal, mark);
    assert_string_equal (name, rows[i].path);
  }
  for (size_t i = 0; i < ARRAY_LEN (refused); i++) {
    cleanup_error struct error err = { 0 };
    char name[IMAGE_NAME_SIZE];
    enum image_mark mark = IMAGE_MARK_NONE;

    strcpy (name, refused[i]);
    CHECK (image_name_mark (name, &mark, &err) == -EINVAL, "'%s' was taken", refused[i]);
  }
}

/* Writes down what is set, in order: "path=mode ". */
static int note (void *data, const char *path, mode_t mode, struct timespec time, struct error *err)
{
  (void) err;
  strbuf_addf (data, "%s=%o@%ld ", path, mode, (long) time.tv_sec);
  return 0;
}

static int refuse (void *data, const char *path, mode_t mode, struct timespec time, struct error *err)
{
  (void) mode;
  (void) time;
  (*(unsigned *) data)++;
  return error_set (err, -EROFS, "%s", path);
}

/* "a=755@1 -a ..." made and removed in this order. */
static void fill (struct image_directories *directories, const char *text)
{
  while (*text != '\0') {
    char path[64];
    unsigned mode = 0;
    long time = 0;
    int len = 0;

    if (*text == '-') {
      assert_int_equal (sscanf (text, "-%63[^ ]%n", path, &len), 1);
      assert_int_equal (image_directories_removed (directories, path), 0);
    } else {
      assert_int_equal (sscanf (text, "%63[^= ]=%o@%ld%n", path, &mode, &time, &len), 3);
      assert_int_equal (image_directories_made (directories, strcmp (path, ".") == 0 ? "" : path, mode,
                                                (struct timespec){ .tv_sec = time }),
                        0);
    }
    text += len;
    text += strspn (text, " ");
  }
}

static void test_directories (void **state)
{
  static const struct {
    const char *log, *set;
  } rows[] = {
    { "", "" },
    { ".=755@0", "=755@0 " },
    { "a=755@1", "a=755@1 " },
    /* Inside first. */
    { ".=700@0 a=755@1 a/b=700@2 c=711@3", "c=711@3 a/b=700@2 a=755@1 =700@0 " },
    /* The last word counts. */
    { "a=755@1 a=700@2", "a=700@2 " },
    /* What was removed is not set, nor what was below it. */
    { "a=755@1 a/b=755@2 -a", "" },
    { "a=755@1 a/b=755@2 -a a=711@3", "a=711@3 " },
    { "a=755@1 a/b=755@2 -a/b", "a=755@1 " },
    { "-a a=755@1 a/b=755@2", "a/b=755@2 a=755@1 " },
    { "a=755@1 a/b/c=755@2 -a a=711@3 a/b=700@4 a/b/c=700@5", "a/b/c=700@5 a/b=700@4 a=711@3 " },
    { "a/b/c=755@2 -a a/b=700@4", "a/b=700@4 " },
    /* A name that only begins alike is another, also where its next byte sorts before the slash. */
    { "a=1@1 a!=2@2 a/b=3@3 ab=4@4 -a", "ab=4@4 a!=2@2 " },
    { "a=1@1 a-b=2@2 -a-b a/c=3@3", "a/c=3@3 a=1@1 " },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    cleanup_image_directories struct image_directories directories = { 0 };
    cleanup_strbuf struct strbuf set = { 0 };

    fill (&directories, rows[i].log);
    assert_int_equal (image_directories_settle (&directories, note, &set, &err), 0);
    CHECK (strcmp (set.text ? set.text : "", rows[i].set) == 0, "'%s': '%s'", rows[i].log, set.text);
    assert_int_equal (directories.count, 0);
  }
}

static void test_directories_stop_at_an_error (void **state)
{
  cleanup_error struct error err = { 0 };
  cleanup_image_directories struct image_directories directories = { 0 };
  unsigned calls = 0;

  (void) state;
  fill (&directories, "a=755@1 b=755@1 c=755@1");
  assert_int_equal (image_directories_settle (&directories, refuse, &calls, &err), -EROFS);
  assert_int_equal (calls, 1);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_normal),      cmocka_unit_test (test_ways_up),
  cmocka_unit_test (test_limits),      cmocka_unit_test (test_marks),
  cmocka_unit_test (test_directories), cmocka_unit_test (test_directories_stop_at_an_error),
};

UNIT_MAIN (cases)
