/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which image of an index is meant. */
#include <config.h>

#include "image-choose.h"

#include <errno.h>

#include "base-cleanup.h"
#include "unit.h"

/* The fields are not const; nothing writes to them here. */
#define ENTRY(tag_, os_, architecture_, size_)                                                               \
  {                                                                                                          \
    .tag = (char *) (uintptr_t) (tag_), .os = (char *) (uintptr_t) (os_),                                    \
    .architecture = (char *) (uintptr_t) (architecture_), .size = (size_)                                    \
  }

static struct image_descriptor one[] = { ENTRY ("v1", NULL, NULL, 1) };
static struct image_descriptor other_machine[] = { ENTRY (NULL, "linux", "s390x", 1) };
static struct image_descriptor tags[] = { ENTRY ("v1", NULL, NULL, 1), ENTRY ("v2", NULL, NULL, 2),
                                          ENTRY (NULL, NULL, NULL, 3) };
static struct image_descriptor platforms[] = {
  ENTRY (NULL, "unknown", "unknown", 1), ENTRY (NULL, "linux", "arm64", 2),
  ENTRY (NULL, "windows", "amd64", 3), ENTRY (NULL, "linux", "amd64", 4), ENTRY (NULL, "linux", "amd64", 5)
};
static struct image_descriptor both[] = { ENTRY ("v1", "linux", "arm64", 1),
                                          ENTRY ("v1", "linux", "amd64", 2),
                                          ENTRY ("v2", "linux", "arm64", 3),
                                          ENTRY ("v2", "linux", "s390x", 4) };
static struct image_descriptor rude[] = { ENTRY ("a\n\x1b[2J", NULL, NULL, 1), ENTRY ("b", NULL, NULL, 2) };

#define INDEX(items)                                                                                         \
  {                                                                                                          \
    (items), ARRAY_LEN (items)                                                                               \
  }

static void test_chooses (void **state)
{
  static const struct {
    struct image_index index;
    const char *tag, *architecture;
    unsigned size;
  } rows[] = {
    { INDEX (one), NULL, "amd64", 1 },           { INDEX (one), "v1", "amd64", 1 },
    { INDEX (other_machine), NULL, "amd64", 1 }, { INDEX (tags), "v1", "amd64", 1 },
    { INDEX (tags), "v2", "amd64", 2 },          { INDEX (platforms), NULL, "amd64", 4 },
    { INDEX (platforms), NULL, "arm64", 2 },     { INDEX (both), "v1", "amd64", 2 },
    { INDEX (both), "v2", "s390x", 4 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    const struct image_descriptor *chosen = NULL;

    CHECK (image_choose (&rows[i].index, rows[i].tag, rows[i].architecture, &chosen, &err) == 0,
           "row %zu: %s", i, error_text (&err));
    CHECK (chosen->size == rows[i].size, "row %zu: %llu", i, (unsigned long long) chosen->size);
  }
}

static void test_refuses (void **state)
{
  static const struct {
    struct image_index index;
    const char *tag, *architecture, *message;
  } rows[] = {
    { { NULL, 0 }, NULL, "amd64", "the index has no image" },
    { { NULL, 0 }, "v1", "amd64", "there is no tag 'v1'; the tags are: none" },
    { INDEX (one), "v2", "amd64", "there is no tag 'v2'; the tags are: 'v1'" },
    { INDEX (tags), NULL, "amd64", "there are 3 images: name one by its tag; the tags are: 'v1', 'v2'" },
    { INDEX (tags), "v3", "amd64", "there is no tag 'v3'; the tags are: 'v1', 'v2'" },
    { INDEX (both), NULL, "amd64", "there are 4 images: name one by its tag; the tags are: 'v1', 'v2'" },
    { INDEX (both), "v2", "amd64",
      "there is no image for linux/amd64; the platforms are: linux/arm64, linux/s390x" },
    { INDEX (platforms), NULL, "riscv64",
      "there is no image for linux/riscv64; the platforms are: unknown/unknown, linux/arm64, windows/amd64, "
      "linux/amd64, "
      "linux/amd64" },
    { INDEX (rude), NULL, "amd64",
      "there are 2 images: name one by its tag; the tags are: 'a\\x0a\\x1b[2J', 'b'" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_error struct error err = { 0 };
    const struct image_descriptor *chosen = NULL;

    CHECK (image_choose (&rows[i].index, rows[i].tag, rows[i].architecture, &chosen, &err) == -ENOENT,
           "row %zu", i);
    assert_string_equal (error_text (&err), rows[i].message);
    assert_null (chosen);
  }
}

static void test_architectures (void **state)
{
  (void) state;
  assert_string_equal (image_architecture ("x86_64"), "amd64");
  assert_string_equal (image_architecture ("aarch64"), "arm64");
  assert_string_equal (image_architecture ("armv7l"), "arm");
  assert_string_equal (image_architecture ("i686"), "386");
  assert_string_equal (image_architecture ("s390x"), "s390x");
  assert_string_equal (image_architecture ("riscv64"), "riscv64");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_chooses),
  cmocka_unit_test (test_refuses),
  cmocka_unit_test (test_architectures),
};

UNIT_MAIN (cases)
