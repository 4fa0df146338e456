/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON from outside: the tree, the place of every node, and of every syntax error. */
#include <config.h>

#include "base-json-read.h"

#include <errno.h>
#include <stdlib.h>

#include "base-str.h"
#include "json-case.h"

static void test_types (void **state)
{
  cleanup_json struct json_node *tree =
      read_text ("{\"n\":null,\"t\":true,\"f\":false,\"i\":12,\"s\":\"x\",\"a\":[1,2],\"o\":{}}", &strict);

  (void) state;
  assert_int_equal (tree->type, JSON_OBJECT);
  assert_int_equal (tree->count, 7);
  assert_true (json_get (tree, "n")->type == JSON_NULL && !json_get (tree, "n")->flag);
  assert_true (json_get (tree, "t")->type == JSON_BOOL && json_get (tree, "t")->flag);
  assert_true (json_get (tree, "f")->type == JSON_BOOL && !json_get (tree, "f")->flag);
  assert_int_equal (json_get (tree, "i")->type, JSON_NUMBER);
  assert_string_equal (json_get (tree, "i")->text, "12");
  assert_int_equal (json_get (tree, "s")->type, JSON_STRING);
  assert_true (strcmp (json_get (tree, "s")->text, "x") == 0 && !json_get (tree, "s")->flag);
  assert_int_equal (json_get (tree, "a")->type, JSON_ARRAY);
  assert_int_equal (json_get (tree, "a")->count, 2);
  assert_int_equal (json_get (tree, "o")->type, JSON_OBJECT);
  assert_int_equal (json_get (tree, "o")->count, 0);
  assert_string_equal (tree->keys[0].name, "n");
  assert_string_equal (tree->keys[6].name, "o");
}

static void test_get (void **state)
{
  cleanup_json struct json_node *object = read_text ("{\"a\":{\"b\":1}}", &strict);
  cleanup_json struct json_node *array = read_text ("[1]", &strict);

  (void) state;
  assert_string_equal (json_get (json_get (object, "a"), "b")->text, "1");
  assert_null (json_get (object, "b"));
  assert_null (json_get (object, ""));
  assert_null (json_get (array, "a"));
  assert_null (json_get (NULL, "a"));
}

static void test_type_texts (void **state)
{
  (void) state;
  assert_string_equal (json_type_text (JSON_NULL), "null");
  assert_string_equal (json_type_text (JSON_BOOL), "true or false");
  assert_string_equal (json_type_text (JSON_NUMBER), "a number");
  assert_string_equal (json_type_text (JSON_STRING), "a string");
  assert_string_equal (json_type_text (JSON_ARRAY), "an array");
  assert_string_equal (json_type_text (JSON_OBJECT), "an object");
}

/* A scalar can be the whole document; the last token then ends with the text. */
static void test_top_level_scalars (void **state)
{
  static const struct {
    const char *text;
    enum json_type type;
    unsigned line, column;
  } rows[] = {
    { "12", JSON_NUMBER, 1, 1 },           { "\n -0.5", JSON_NUMBER, 2, 2 }, { "true", JSON_BOOL, 1, 1 },
    { " null ", JSON_NULL, 1, 2 },         { "\"s\"", JSON_STRING, 1, 1 },   { "\n\n\t[]", JSON_ARRAY, 3, 2 },
    { "\r\n  {}\r\n", JSON_OBJECT, 2, 3 },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *tree = read_text (rows[i].text, &strict);

    CHECK (tree->type == rows[i].type && tree->line == rows[i].line && tree->column == rows[i].column,
           "'%s' is %s at %u:%u", rows[i].text, json_type_text (tree->type), tree->line, tree->column);
  }
}

static void check_place (const struct json_node *node, unsigned line, unsigned column)
{
  assert_non_null (node);
  CHECK (node->line == line && node->column == column, "%s stands at %u:%u, not %u:%u",
         json_type_text (node->type), node->line, node->column, line, column);
}

static void check_key_place (const struct json_node *object, size_t index, unsigned line, unsigned column)
{
  const struct json_key *key = &object->keys[index];

  CHECK (key->line == line && key->column == column, "key '%s' stands at %u:%u, not %u:%u", key->name,
         key->line, key->column, line, column);
}

static void test_places (void **state)
{
  cleanup_json struct json_node *tree = read_text ("{\n"
                                                   "  \"a\": 1,\n"
                                                   "  \"b\" :  [ true,false ,\n"
                                                   "    null ],\n"
                                                   "\t\"\xc3\xa9\": \"x\\n\", \"d\": {\r\n"
                                                   "    \"e\":\n"
                                                   "      -1.5e3 } }\n",
                                                   &strict);

  (void) state;
  check_place (tree, 1, 1);
  check_key_place (tree, 0, 2, 3);
  check_place (tree->items[0], 2, 8);
  check_key_place (tree, 1, 3, 3);
  check_place (tree->items[1], 3, 10);
  check_place (tree->items[1]->items[0], 3, 12);
  check_place (tree->items[1]->items[1], 3, 17);
  check_place (tree->items[1]->items[2], 4, 5);
  check_key_place (tree, 2, 5, 2);
  check_place (tree->items[2], 5, 8); /* the key takes four bytes for one letter and its quotes */
  check_key_place (tree, 3, 5, 15);
  check_place (tree->items[3], 5, 20);
  check_key_place (tree->items[3], 0, 6, 5);
  check_place (tree->items[3]->items[0], 7, 7);
}

static void test_places_behind_comments (void **state)
{
  cleanup_json struct json_node *tree = read_text ("// first: \"x\", [1]\n"
                                                   "{ /* \"no\": 1,\n"
                                                   " ** */ \"a\" /**/ : // why\n"
                                                   "  /* } */ [ 1, // one\n"
                                                   "/* two */ 2 /*/ not closed yet */ ],\n"
                                                   "  \"u\": \"http://x/*y*/\" }\n"
                                                   "// last, without a line break",
                                                   &commented);

  (void) state;
  check_place (tree, 2, 1);
  assert_int_equal (tree->count, 2);
  check_key_place (tree, 0, 3, 8);
  check_place (tree->items[0], 4, 11);
  check_place (tree->items[0]->items[0], 4, 13);
  check_place (tree->items[0]->items[1], 5, 11);
  check_key_place (tree, 1, 6, 3);
  check_place (tree->items[1], 6, 8);
  assert_string_equal (tree->items[1]->text, "http://x/*y*/");
}

/* The position is that of the token at fault; where the text ends too early, its end or the token
 * that was never closed. */
static void test_syntax_errors (void **state)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "", "f:1:1: premature EOF" },
    { "  \n ", "f:2:2: premature EOF" },
    { "{", "f:1:2: premature EOF" },
    { "[1", "f:1:3: premature EOF" },
    { "[1,\n", "f:2:1: premature EOF" },
    { "{\"a\"", "f:1:5: premature EOF" },
    { "{\"a\":", "f:1:6: premature EOF" },
    { "[\n \"abc", "f:2:2: premature EOF" },
    { "[\n \"abc\\", "f:2:2: inside a string, '\\' occurs before a character which it may not" },
    { "[1,\n  nul", "f:2:3: invalid string in json text" },
    { "tru", "f:1:1: invalid string in json text" },
    { "[1,\n  tru]", "f:2:3: invalid string in json text" },
    { "[1,\n  fals3]", "f:2:3: invalid string in json text" },
    { "{\"a\" 1}", "f:1:6: object key and value must be separated by a colon (':')" },
    { "{\"a\"}", "f:1:5: object key and value must be separated by a colon (':')" },
    { "{\"a\", 1}", "f:1:5: object key and value must be separated by a colon (':')" },
    { "{\"a\": }", "f:1:7: unallowed token at this point in JSON text" },
    { "{\"a\"::1}", "f:1:6: unallowed token at this point in JSON text" },
    { "{\"a\":1,}", "f:1:8: invalid object key (must be a string)" },
    { "{,}", "f:1:2: invalid object key (must be a string)" },
    { "{1:2}", "f:1:2: invalid object key (must be a string)" },
    { "{]", "f:1:2: invalid object key (must be a string)" },
    { "{\"a\":1 \"b\":2}", "f:1:8: after key and value, inside map, I expect ',' or '}'" },
    { "{\"a\":1]", "f:1:7: after key and value, inside map, I expect ',' or '}'" },
    { "[1,]", "f:1:4: unallowed token at this point in JSON text" },
    { "[,1]", "f:1:2: unallowed token at this point in JSON text" },
    { "[1,\n ,2]", "f:2:2: unallowed token at this point in JSON text" },
    { "[}", "f:1:2: unallowed token at this point in JSON text" },
    { "]", "f:1:1: unallowed token at this point in JSON text" },
    { ",", "f:1:1: unallowed token at this point in JSON text" },
    { "[1 2]", "f:1:4: after array element, I expect ',' or ']'" },
    { "[1:2]", "f:1:3: after array element, I expect ',' or ']'" },
    { "[1}", "f:1:3: after array element, I expect ',' or ']'" },
    { "[01]", "f:1:3: after array element, I expect ',' or ']'" },
    { "{} x", "f:1:4: trailing garbage" },
    { "{}\n  {}", "f:2:3: trailing garbage" },
    { "[1]]", "f:1:4: trailing garbage" },
    { "[1] // x", "f:1:5: trailing garbage" },
    { "1 2", "f:1:3: trailing garbage" },
    { "null,", "f:1:5: trailing garbage" },
    { "[1.]", "f:1:2: malformed number, a digit is required after the decimal point" },
    { "[ 1e]", "f:1:3: malformed number, a digit is required after the exponent" },
    { "[\n-]", "f:2:1: malformed number, a digit is required after the minus sign" },
    { "[+1]", "f:1:2: invalid char in json text" },
    { "[.5]", "f:1:2: invalid char in json text" },
    { "[NaN]", "f:1:2: invalid char in json text" },
    { "['a']", "f:1:2: invalid char in json text" },
    { "{a:1}", "f:1:2: invalid char in json text" },
    { "[1;2]", "f:1:3: invalid char in json text" },
    { "\xef\xbb\xbf{}", "f:1:1: invalid char in json text" },
    { "[\xff]", "f:1:2: invalid char in json text" },
    { "[\f1]", "f:1:2: a form feed is not allowed" },
    { "[1]\n\v", "f:2:1: a vertical tab is not allowed" },
    { "[\"\v\"]", "f:1:3: a vertical tab is not allowed" },
    { "[\"a\nb\"]", "f:1:2: invalid character inside string" },
    { "[\"a\tb\"]", "f:1:2: invalid character inside string" },
    { "[1, \"a\\qb\"]", "f:1:5: inside a string, '\\' occurs before a character which it may not" },
    { "[\"\\u12x4\"]", "f:1:2: invalid (non-hex) character occurs after '\\u' inside string" },
    { "{\n\"a\\x\":1}", "f:2:1: inside a string, '\\' occurs before a character which it may not" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    check_refused (rows[i].text, &strict, rows[i].message);
}

static void test_comments_where_refused (void **state)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "// c\n[1]", "f:1:1: probable comment found in input text, comments are not enabled" },
    { "/* c */ [1]", "f:1:1: probable comment found in input text, comments are not enabled" },
    { "[1,\n // c\n 2]", "f:2:2: probable comment found in input text, comments are not enabled" },
    { "[1 /* c */]", "f:1:4: probable comment found in input text, comments are not enabled" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *tree = read_text (rows[i].text, &commented);

    assert_int_equal (tree->type, JSON_ARRAY);
    check_refused (rows[i].text, &strict, rows[i].message);
  }
}

static void test_broken_comments (void **state)
{
  (void) state;
  check_refused ("[1, /* c", &commented, "f:1:9: premature EOF");
  check_refused ("// only", &commented, "f:1:8: premature EOF");
  check_refused ("[1, / 2]", &commented, "f:1:5: invalid char in json text");
  check_refused ("[1, # c\n2]", &commented, "f:1:5: invalid char in json text");
  check_refused ("/* a /* b */ */ 1", &commented, "f:1:14: invalid char in json text");
}

static void test_repeated_keys (void **state)
{
  cleanup_json struct json_node *nested = read_text ("[{\"a\":{\"a\":1}},{\"a\":2,\"A\":3,\"\":4}]", &strict);

  (void) state;
  assert_int_equal (nested->count, 2);
  check_refused ("{\"a\":1,\n \"b\":2,\n  \"a\":3}", &strict, "f:3:3: key 'a' is repeated (first on line 1)");
  check_refused ("{\"a\":1,\"\\u0061\":2}", &strict, "f:1:8: key 'a' is repeated (first on line 1)");
  check_refused ("{\"\":1,\"\":2}", &strict, "f:1:7: key '' is repeated (first on line 1)");
  check_refused ("{\"x\":{\"a\":[],\n\"a\":{}}}", &strict, "f:2:1: key 'a' is repeated (first on line 1)");
}

static void test_numbers_keep_their_text (void **state)
{
  static const char *const numbers[] = {
    "0",
    "-0",
    "-1",
    "1.0",
    "1.50",
    "1e3",
    "1E+03",
    "0.1e-2",
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "1e400",
    "1e-400",
    "0.1000000000000000055511151231257827021181583404541",
    "1234567890123456789012345678901234567890123456789012345678901234",
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (numbers); i++) {
    cleanup_free char *text = str_format ("[%s]", numbers[i]);
    cleanup_json struct json_node *tree = read_text (text, &strict);

    assert_int_equal (tree->items[0]->type, JSON_NUMBER);
    assert_string_equal (tree->items[0]->text, numbers[i]);
  }
  check_refused ("[1,\n 12345678901234567890123456789012345678901234567890123456789012345]", &strict,
                 "f:2:2: number is longer than 64 characters");
}

static void test_escapes (void **state)
{
  static const struct {
    const char *written, *text;
  } rows[] = {
    { "\\\"\\\\\\/", "\"\\/" },
    { "\\b\\f\\n\\r\\t", "\b\f\n\r\t" },
    { "\\u0041\\u00e9\\u20AC", "A\xc3\xa9\xe2\x82\xac" },
    { "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
    { "\\uD800\\uDC00 \\udbff\\udfff", "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf" },
    { "\\\\ud800", "\\ud800" }, /* a backslash, then letters */
    { "\\\\\\u0041", "\\A" },
    { "\\u0001\\u001f\\u007f", "\x01\x1f\x7f" },
    { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
    { "", "" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_free char *text = str_format ("{\"%s\":\"%s\"}", rows[i].written, rows[i].written);
    cleanup_json struct json_node *tree = read_text (text, &strict);

    assert_string_equal (tree->keys[0].name, rows[i].text);
    assert_string_equal (tree->items[0]->text, rows[i].text);
  }
}

static void test_nul_bytes (void **state)
{
  (void) state;
  check_bytes_refused ("\0", 1, &strict, "f:1:1: invalid char in json text");
  check_bytes_refused ("[1,\0 2]", 7, &strict, "f:1:4: invalid char in json text");
  check_bytes_refused ("[\"a\0b\"]", 7, &strict, "f:1:2: invalid character inside string");
  check_bytes_refused ("[1]\0", 4, &strict, "f:1:4: trailing garbage");
}

static const char document[] = "{ /* c */ \"a\": [1, -2.5e3, \"x\\u00e9\\ud83d\\ude00\"],\n"
                               "  \"b\": {\"c\": null, \"d\": true}, // d\n"
                               "  \"e\": false }";

/* The text need not end in a NUL, so each piece gets memory of its own size; every piece but the whole
 * is refused with a place inside it. */
static void test_every_beginning (void **state)
{
  size_t whole = sizeof (document) - 1;

  (void) state;
  for (size_t len = 0; len <= whole; len++) {
    cleanup_error struct error err = { 0 };
    cleanup_json struct json_node *tree = NULL;
    cleanup_free char *piece = malloc (len ? len : 1);
    unsigned line = 0, column = 0;
    int r;

    assert_non_null (piece);
    memcpy (piece, document, len);
    r = json_read ("f", piece, len, &commented, &tree, &err);
    CHECK ((r == 0) == (len == whole), "the first %zu bytes give %d", len, r);
    CHECK ((tree != NULL) == (r == 0), "the first %zu bytes give a tree and %d", len, r);
    if (r == 0)
      continue;
    CHECK (sscanf (error_text (&err), "f:%u:%u: ", &line, &column) == 2, "no place in '%s'",
           error_text (&err));
    CHECK (line >= 1 && line <= 3 && column >= 1 && column <= 60, "no such place: '%s'", error_text (&err));
  }
}

static void test_first_cause_is_kept (void **state)
{
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;

  (void) state;
  error_set (&err, -EIO, "earlier");
  assert_int_equal (json_read ("f", "[", 1, &strict, &tree, &err), -EINVAL);
  assert_int_equal (err.code, -EIO);
  assert_string_equal (error_text (&err), "earlier");
  assert_int_equal (json_read ("f", "[", 1, &strict, &tree, NULL), -EINVAL);
  assert_null (tree);
}

static void test_free_takes_nothing (void **state)
{
  struct json_node *half = calloc (1, sizeof (*half));

  (void) state;
  assert_non_null (half);
  half->type = JSON_OBJECT;
  json_free (NULL);
  json_free (half);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_types),
  cmocka_unit_test (test_get),
  cmocka_unit_test (test_type_texts),
  cmocka_unit_test (test_top_level_scalars),
  cmocka_unit_test (test_places),
  cmocka_unit_test (test_places_behind_comments),
  cmocka_unit_test (test_syntax_errors),
  cmocka_unit_test (test_comments_where_refused),
  cmocka_unit_test (test_broken_comments),
  cmocka_unit_test (test_repeated_keys),
  cmocka_unit_test (test_numbers_keep_their_text),
  cmocka_unit_test (test_escapes),
  cmocka_unit_test (test_nul_bytes),
  cmocka_unit_test (test_every_beginning),
  cmocka_unit_test (test_first_cause_is_kept),
  cmocka_unit_test (test_free_takes_nothing),
};

UNIT_MAIN (cases)
