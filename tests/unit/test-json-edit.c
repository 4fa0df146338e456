/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON trees edited in place: nothing that was not touched is lost. */
#include <config.h>

#include "unit.h"

#include <string.h>

#include "base-json-edit.h"
#include "base-json-write.h"

static const struct json_limits limits = { 4096, 16, 256, .comments = false };

static struct json_node *read_text (const char *text)
{
  struct json_node *tree = NULL;

  assert_int_equal (json_read ("text", text, strlen (text), &limits, &tree, NULL), 0);
  return tree;
}

static void expect (const struct json_node *tree, const char *want)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *text = NULL;

  json_copy (&w, NULL, tree);
  assert_int_equal (json_finish (&w, &text, NULL), 0);
  text[strlen (text) - 1] = '\0';
  assert_string_equal (text, want);
}

static void test_untouched (void **state)
{
  static const char text[] = "{\"b\":1.50e3,\"a\":[null,true,\"\xc3\xa9\"],\"\":{},\"n\":-0}";
  cleanup_json struct json_node *tree = read_text (text), *copy = NULL;

  (void) state;
  expect (tree, text);
  copy = json_clone (tree);
  expect (copy, text);
}

static void test_set_keeps_places (void **state)
{
  cleanup_json struct json_node *tree = read_text ("{\"a\":1,\"b\":2,\"c\":3}");

  (void) state;
  assert_int_equal (json_set (tree, "b", json_new_bool (true)), 0);
  assert_int_equal (json_set (tree, "d", json_new_number (-7)), 0);
  json_remove (tree, "a");
  json_remove (tree, "nothing");
  expect (tree, "{\"b\":true,\"c\":3,\"d\":-7}");
  assert_null (json_edit (tree, "a"));
  assert_int_equal (json_set (tree, "e", NULL), -ENOMEM);
}

static void test_arrays (void **state)
{
  cleanup_json struct json_node *tree = json_new (JSON_ARRAY);

  (void) state;
  for (int i = 0; i < 20; i++)
    assert_int_equal (json_append (tree, json_new_number (i)), 0);
  while (tree->count > 2)
    json_remove_at (tree, 1);
  assert_int_equal (json_insert (tree, 0, json_new_text (JSON_STRING, "x")), 0);
  assert_int_equal (json_insert (tree, 2, json_new (JSON_OBJECT)), 0);
  expect (tree, "[\"x\",0,{},19]");
}

int main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_untouched),
    cmocka_unit_test (test_set_keeps_places),
    cmocka_unit_test (test_arrays),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
