/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Path names as text: normal, beneath, within. */
#include <config.h>

#include "base-path.h"

#include "base-cleanup.h"
#include "unit.h"

struct row {
  const char *path;
  bool normal;
  bool beneath;
};

static const struct row forms[] = {
  { "/", true, false },       { "/a", true, false },       { "/a/b.c/..d", true, false },
  { "/a/...", true, false },  { "/.a", true, false },      { "/a b", true, false },
  { "/*", true, false },      { "a", false, true },        { "a/b", false, true },
  { ".git", false, true },    { "..a/b..", false, true },  { "", false, false },
  { ".", false, false },      { "..", false, false },      { "./a", false, false },
  { "../a", false, false },   { "a/..", false, false },    { "a/.", false, false },
  { "a/../b", false, false }, { "a/", false, false },      { "a//b", false, false },
  { "//", false, false },     { "//a", false, false },     { "/a/", false, false },
  { "/a//b", false, false },  { "/.", false, false },      { "/..", false, false },
  { "/a/.", false, false },   { "/a/..", false, false },   { "/../a", false, false },
  { "/a/./b", false, false }, { "/a/../b", false, false },
};

static void test_normal (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (forms); i++)
    CHECK (path_is_normal (forms[i].path) == forms[i].normal, "path_is_normal ('%s') is not %d",
           forms[i].path, forms[i].normal);
}

static void test_beneath (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (forms); i++)
    CHECK (path_is_beneath (forms[i].path) == forms[i].beneath, "path_is_beneath ('%s') is not %d",
           forms[i].path, forms[i].beneath);
}

static void test_within (void **state)
{
  static const struct {
    const char *path, *dir;
    bool within;
  } rows[] = {
    { "/proc", "/proc", true },
    { "/proc/sys", "/proc", true },
    { "/proc/sys/kernel", "/proc", true },
    { "/", "/", true },
    { "/a/b", "/", true },
    { "/process", "/proc", false },
    { "/proc-x/a", "/proc", false },
    { "/pro", "/proc", false },
    { "/", "/proc", false },
    { "/a/proc", "/proc", false },
    { "/a/b", "/a/b/c", false },
    { "/a/b/c", "/a/b", true },
    { "/a/bc", "/a/b", false },
    { "/PROC", "/proc", false },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    CHECK (path_is_within (rows[i].path, rows[i].dir) == rows[i].within, "'%s' within '%s' is not %d",
           rows[i].path, rows[i].dir, rows[i].within);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_normal),
  cmocka_unit_test (test_beneath),
  cmocka_unit_test (test_within),
};

UNIT_MAIN (cases)
