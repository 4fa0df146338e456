/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON from outside: what is refused though its syntax is right. Limits, each at its edge, and strings
 * that no C string or no UTF-8 text can be. */
#include <config.h>

#include "base-json-read.h"

#include <errno.h>
#include <stdlib.h>

#include "base-str.h"
#include "json-case.h"

static char *nested_text (const char *open, const char *close, size_t depth, size_t *ret_len)
{
  struct strbuf buf = { 0 };

  for (size_t i = 0; i < depth; i++)
    strbuf_add (&buf, open);
  strbuf_add (&buf, "1");
  for (size_t i = 0; i < depth; i++)
    strbuf_add (&buf, close);
  *ret_len = buf.len;
  return strbuf_take (&buf);
}

static void test_depth (void **state)
{
  static const struct {
    const char *open, *close, *message; /* for 33 levels and more */
  } rows[] = {
    { "[", "]", "f:1:33: nested deeper than 32 levels" },
    { "{\"a\":", "}", "f:1:161: nested deeper than 32 levels" },
    { "[\n", "]", "f:33:1: nested deeper than 32 levels" },
  };
  static const size_t depths[] = { 33, 34, 100, 10000 };
  size_t len;

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *fits = nested_text (rows[i].open, rows[i].close, 32, &len);
    cleanup_json struct json_node *tree = read_bytes (fits, len, &strict);

    assert_int_equal (tree->count, 1);
    for (size_t k = 0; k < ARRAY_LEN (depths); k++) {
      cleanup_free char *deeper = nested_text (rows[i].open, rows[i].close, depths[k], &len);

      check_bytes_refused (deeper, len, &strict, rows[i].message);
    }
  }
}

/* Depth is how many containers are open, not how many there were. */
static void test_depth_goes_down_again (void **state)
{
  const struct json_limits limits = { .bytes = 1000, .depth = 2, .nodes = 1000 };
  cleanup_json struct json_node *tree = read_text ("[[],{},[1],{\"a\":1},[],[]]", &limits);

  (void) state;
  assert_int_equal (tree->count, 6);
  check_refused ("[[],{\"a\":[]}]", &limits, "f:1:10: nested deeper than 2 levels");
}

/* A caller that asks for more than the reader has room for gets the reader's own bound. */
static void test_depth_has_a_bound_of_its_own (void **state)
{
  const struct json_limits limits = { .bytes = 1000000, .depth = 100000, .nodes = 100000 };
  size_t len;
  cleanup_free char *fits = nested_text ("[", "]", 128, &len);
  cleanup_json struct json_node *tree = read_bytes (fits, len, &limits);
  cleanup_free char *deeper = nested_text ("[", "]", 129, &len);

  (void) state;
  assert_int_equal (tree->count, 1);
  check_bytes_refused (deeper, len, &limits, "f:1:129: nested deeper than 128 levels");
}

static void test_no_container_at_all (void **state)
{
  const struct json_limits limits = { .bytes = 100, .depth = 0, .nodes = 10 };
  cleanup_json struct json_node *tree = read_text ("\"x\"", &limits);

  (void) state;
  assert_int_equal (tree->type, JSON_STRING);
  check_refused ("[]", &limits, "f:1:1: nested deeper than 0 levels");
}

static void test_node_limit (void **state)
{
  const struct json_limits limits = { .bytes = 1000, .depth = 8, .nodes = 4 };
  cleanup_json struct json_node *tree = read_text ("[1,{\"a\":2}]", &limits);

  (void) state;
  assert_int_equal (tree->count, 2);
  check_refused ("[1,{\"a\":2,\n\"b\":3}]", &limits, "f:2:5: more than 4 values");
  check_refused ("[1,2,3,4]", &limits, "f:1:8: more than 4 values");
  check_refused ("[1,2,3,\"four\"]", &limits, "f:1:8: more than 4 values");
  check_refused ("[1,2,3,[]]", &limits, "f:1:8: more than 4 values");
  check_refused ("[1,2,3,null]", &limits, "f:1:8: more than 4 values");
}

static void test_byte_limit (void **state)
{
  const struct json_limits limits = { .bytes = 5, .depth = 8, .nodes = 4 };
  cleanup_json struct json_node *tree = read_text ("[123]", &limits);
  cleanup_error struct error err = { 0 };
  struct json_node *none = NULL;

  (void) state;
  assert_string_equal (tree->items[0]->text, "123");
  assert_int_equal (json_read ("f", "[1234]", 6, &limits, &none, &err), -EFBIG);
  assert_string_equal (error_text (&err), "f: larger than 5 bytes");
  assert_null (none);
}

static char *string_of (size_t len)
{
  char *text = malloc (len + 5);

  assert_non_null (text);
  memset (text, 'x', len + 4);
  memcpy (text, "[\"", 2);
  memcpy (text + len + 2, "\"]", 3);
  return text;
}

static void test_string_limit (void **state)
{
  cleanup_free char *longest = string_of (LIMIT_STRING_BYTES);
  cleanup_free char *longer = string_of (LIMIT_STRING_BYTES + 1);
  cleanup_json struct json_node *tree = read_text (longest, &strict);

  (void) state;
  assert_int_equal (strlen (tree->items[0]->text), LIMIT_STRING_BYTES);
  check_refused (longer, &strict, "f:1:2: string is longer than 65536 bytes");
}

static char *object_of (size_t members)
{
  struct strbuf buf = { 0 };

  for (size_t i = 0; i < members; i++)
    strbuf_addf (&buf, "%s\"k%zu\":0", i ? "\n," : "{", i);
  strbuf_add (&buf, "}");
  return strbuf_take (&buf);
}

static void test_member_limit (void **state)
{
  cleanup_free char *most = object_of (LIMIT_OBJECT_MEMBERS);
  cleanup_free char *more = object_of (LIMIT_OBJECT_MEMBERS + 1);
  cleanup_json struct json_node *tree = read_text (most, &strict);

  (void) state;
  assert_int_equal (tree->count, LIMIT_OBJECT_MEMBERS);
  assert_string_equal (tree->keys[LIMIT_OBJECT_MEMBERS - 1].name, "k4095");
  check_refused (more, &strict, "f:4097:2: object has more than 4096 keys");
}

/* Each is refused as a value, in the middle of one, and as a key. */
static void test_refused_strings (void **state)
{
  static const char nul[] = "string holds a NUL character";
  static const char half[] = "string holds half of a surrogate pair";
  static const char utf8[] = "string is not valid UTF-8";
  static const struct {
    const char *written, *message;
  } rows[] = {
    { "\\u0000", nul },
    { "/etc/passwd\\u0000.json", nul },
    { "\\ud800", half },
    { "\\udbff", half },
    { "\\udc00", half },
    { "\\uDFFF", half },
    { "\\udAaF", half },
    { "\\ud800\\ud800", half },
    { "\\udc00\\ud800", half },
    { "\\ud800\\u0041", half },
    { "\\ud800x", half },
    { "\\ud800\\n", half },
    { "\\ud83d\\ude00\\ude00", half },
    { "\\\\\\ud800", half },
    { "\xff", utf8 },
    { "\x80", utf8 },
    { "\xc3(", utf8 },
    { "\xc3", utf8 },
    { "\xe2\x82", utf8 },
    { "\xc0\x80", utf8 },
    { "\xc0\xae\xc0\xae/", utf8 },
    { "\xe0\x80\xaf", utf8 },
    { "\xed\xa0\x80", utf8 },
    { "\xed\xa0\xbd\xed\xb8\x80", utf8 },
    { "\xf4\x90\x80\x80", utf8 },
    { "\xf8\x88\x80\x80\x80", utf8 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *value = str_format ("[\"a\",\n \"%s\"]", rows[i].written);
    cleanup_free char *inside = str_format ("[\"a\",\n \"b%sc\"]", rows[i].written);
    cleanup_free char *key = str_format ("{\"a\":1,\n \"%s\":2}", rows[i].written);
    cleanup_free char *message = str_format ("f:2:2: %s", rows[i].message);

    check_refused (value, &strict, message);
    check_refused (inside, &strict, message);
    check_refused (key, &strict, message);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_depth),
  cmocka_unit_test (test_depth_goes_down_again),
  cmocka_unit_test (test_depth_has_a_bound_of_its_own),
  cmocka_unit_test (test_no_container_at_all),
  cmocka_unit_test (test_node_limit),
  cmocka_unit_test (test_byte_limit),
  cmocka_unit_test (test_string_limit),
  cmocka_unit_test (test_member_limit),
  cmocka_unit_test (test_refused_strings),
};

UNIT_MAIN (cases)
