/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What runtime and hook ask of a specification beside the meet itself; that is tests/spec. */
#include <config.h>

#include "unit.h"

#include <errno.h>

#include "restrict-restrict.h"

static struct json_node *read_spec (const char *text)
{
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;

  CHECK (spec_read ("config.json", text, strlen (text), &tree, &err) == 0, "%s", error_text (&err));
  return tree;
}

/* Sources are judged by their facts, so each that is a path has to be named. */
static void test_sources (void **state)
{
  cleanup_json struct json_node *config =
      read_spec ("{\"root\":{\"path\":\"/c\"},\"mounts\":[{\"source\":\"proc\"},{\"source\":\"/b/./"
                 "x\"},{\"source\":\"/a\"},{\"source\":7},"
                 "{\"source\":\"/a/../b\"},{},{\"source\":\"/a\"}]}");
  cleanup_json struct json_node *none = read_spec ("{\"mounts\":{}}");
  cleanup_strlist struct strlist paths = { 0 }, no_paths = { 0 };
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (spec_sources (config, &paths, &err), 0);
  assert_int_equal (paths.count, 3);
  assert_string_equal (paths.items[0], "/a");
  assert_string_equal (paths.items[1], "/b/x");
  assert_string_equal (paths.items[2], "/c");
  assert_int_equal (spec_sources (none, &no_paths, &err), 0);
  assert_int_equal (no_paths.count, 0);
}

static void test_read_and_written (void **state)
{
  static const char text[] = "{\"x\":1.50,\"annotations\":{\"a\":\"b\",\"n\":1}}";
  cleanup_json struct json_node *config = read_spec (text);
  cleanup_error struct error err = { 0 }, other = { 0 };
  cleanup_free char *written = NULL;
  struct json_node *list = NULL;

  (void) state;
  assert_string_equal (spec_annotation (config, "a"), "b");
  assert_null (spec_annotation (config, "n"));
  assert_null (spec_annotation (config, "absent"));
  assert_int_equal (spec_write (config, &written, &err), 0);
  assert_memory_equal (written, text, strlen (text));
  assert_int_equal (spec_read ("config.json", "[]", 2, &list, &other), -EINVAL);
  assert_non_null (strstr (error_text (&other), "expected an object"));
}

/* A line for people is bounded, and says how much it leaves out. */
static void test_changes (void **state)
{
  char what[] = "taken away";
  struct spec_change items[40];
  struct spec_changes changes = { items, 1 };
  cleanup_free char *one = NULL, *many = NULL, *none = NULL;

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (items); i++)
    items[i] = (struct spec_change){ CONTROL_CAPABILITIES, what };
  one = spec_changes_text (&changes);
  assert_string_equal (one, "process.capabilities: taken away");
  changes.count = ARRAY_LEN (items);
  many = spec_changes_text (&changes);
  assert_non_null (strstr (many, " more"));
  assert_true (strlen (many) < 1024);
  changes.count = 0;
  none = spec_changes_text (&changes);
  assert_string_equal (none, "");
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_sources),
  cmocka_unit_test (test_read_and_written),
  cmocka_unit_test (test_changes),
};

UNIT_MAIN (cases)
