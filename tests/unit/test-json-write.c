/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON to outside: one fixed text, or a refusal that says why. */
#include <config.h>

#include "base-json-write.h"

#include <errno.h>

#include "base-json-read.h"
#include "unit.h"

/* Finishes W and compares the text. */
static void check_text (struct json_writer *w, const char *expected)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;

  CHECK (json_finish (w, &text, &err) == 0, "refused: %s", error_text (&err));
  assert_string_equal (text, expected);
}

static void check_refused (struct json_writer *w, int code, const char *message)
{
  cleanup_error struct error err = { 0 };
  char *text = NULL;

  assert_int_equal (json_finish (w, &text, &err), code);
  assert_null (text);
  assert_int_equal (err.code, code);
  assert_string_equal (error_text (&err), message);
}

static void write_sample (struct json_writer *w)
{
  cleanup_strlist struct strlist list = { 0 };

  strlist_add (&list, "x");
  strlist_add (&list, "y");
  json_object_begin (w, NULL);
  json_string (w, "text", "a b");
  json_string (w, "nothing", NULL);
  json_number (w, "big", UINT64_MAX);
  json_integer (w, "low", INT64_MIN);
  json_bool (w, "yes", true);
  json_bool (w, "no", false);
  json_milli (w, "cpus", 1500);
  json_strings (w, "list", &list);
  json_array_begin (w, "mixed");
  json_null (w, NULL);
  json_object_begin (w, NULL);
  json_object_end (w);
  json_array_begin (w, NULL);
  json_array_end (w);
  json_object_begin (w, NULL);
  json_number (w, "a", 0);
  json_object_end (w);
  json_array_end (w);
  json_object_end (w);
}

static const char compact[] = "{\"text\":\"a b\",\"nothing\":null,\"big\":18446744073709551615,"
                              "\"low\":-9223372036854775808,\"yes\":true,\"no\":false,\"cpus\":1.5,"
                              "\"list\":[\"x\",\"y\"],\"mixed\":[null,{},[],{\"a\":0}]}\n";

static const char pretty[] = "{\n"
                             "  \"text\": \"a b\",\n"
                             "  \"nothing\": null,\n"
                             "  \"big\": 18446744073709551615,\n"
                             "  \"low\": -9223372036854775808,\n"
                             "  \"yes\": true,\n"
                             "  \"no\": false,\n"
                             "  \"cpus\": 1.5,\n"
                             "  \"list\": [\n"
                             "    \"x\",\n"
                             "    \"y\"\n"
                             "  ],\n"
                             "  \"mixed\": [\n"
                             "    null,\n"
                             "    {},\n"
                             "    [],\n"
                             "    {\n"
                             "      \"a\": 0\n"
                             "    }\n"
                             "  ]\n"
                             "}\n";

static void test_compact (void **state)
{
  cleanup_json_writer struct json_writer w = { 0 };

  (void) state;
  write_sample (&w);
  check_text (&w, compact);
}

static void test_pretty (void **state)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  (void) state;
  write_sample (&w);
  check_text (&w, pretty);
}

/* The same calls give the same bytes, also from a writer that was used before. */
static void test_again_gives_the_same (void **state)
{
  cleanup_json_writer struct json_writer w = { .pretty = true };

  (void) state;
  for (int i = 0; i < 3; i++) {
    write_sample (&w);
    check_text (&w, pretty);
  }
}

static void test_top_level_values (void **state)
{
  cleanup_json_writer struct json_writer w = { 0 };

  (void) state;
  json_string (&w, NULL, "alone");
  check_text (&w, "\"alone\"\n");
  json_milli (&w, NULL, 1);
  check_text (&w, "0.001\n");
  json_array_begin (&w, NULL);
  json_array_end (&w);
  check_text (&w, "[]\n");
}

static void test_escapes (void **state)
{
  static const struct {
    const char *text, *written;
  } rows[] = {
    { "", "\"\"" },
    { "plain", "\"plain\"" },
    { "\"", "\"\\\"\"" },
    { "\\", "\"\\\\\"" },
    { "a\"b\\c", "\"a\\\"b\\\\c\"" },
    { "\n\t", "\"\\n\\t\"" },
    { "\r\b\f", "\"\\u000d\\u0008\\u000c\"" },
    { "\x01\x1f", "\"\\u0001\\u001f\"" },
    { "\x1b[31m", "\"\\u001b[31m\"" }, /* no terminal escapes in what people print */
    { "\x7f", "\"\\u007f\"" },
    { "/", "\"/\"" },
    { "\xc3\xa9", "\"\xc3\xa9\"" },
    { "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
    { "%s%n", "\"%s%n\"" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json_writer struct json_writer w = { 0 };
    cleanup_free char *value = str_format ("%s\n", rows[i].written);
    cleanup_free char *key = str_format ("{%s:1}\n", rows[i].written);

    json_string (&w, NULL, rows[i].text);
    check_text (&w, value);
    json_object_begin (&w, NULL);
    json_number (&w, rows[i].text, 1);
    json_object_end (&w);
    check_text (&w, key);
  }
}

/* All characters below 256 but NUL, as a value and as a key, come back from our own reader. */
static void test_reader_gives_back_what_was_written (void **state)
{
  cleanup_json_writer struct json_writer w = { 0 };
  const struct json_limits limits = { .bytes = 65536, .depth = 2, .nodes = 10 };
  cleanup_error struct error err = { 0 };
  cleanup_json struct json_node *tree = NULL;
  cleanup_free char *text = NULL;
  char all[2 * 256];
  size_t len = 0;

  (void) state;
  for (unsigned c = 1; c < 256; c++) {
    if (c >= 0x80)
      all[len++] = (char) (0xc0 | c >> 6);
    all[len++] = (char) (c < 0x80 ? c : 0x80 | (c & 0x3f));
  }
  all[len] = '\0';
  json_object_begin (&w, NULL);
  json_string (&w, all, all);
  json_object_end (&w);
  assert_int_equal (json_finish (&w, &text, &err), 0);
  CHECK (json_read ("written", text, strlen (text), &limits, &tree, &err) == 0, "%s", error_text (&err));
  assert_int_equal (tree->count, 1);
  assert_string_equal (tree->keys[0].name, all);
  assert_string_equal (tree->items[0]->text, all);
}

static void test_bad_text_is_named (void **state)
{
  static const char *const bad[] = { "\xff", "ab\xc3", "\xc0\xae", "\xed\xa0\x80", "\xf4\x90\x80\x80" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (bad); i++) {
    cleanup_json_writer struct json_writer value = { 0 }, entry = { 0 }, key = { 0 };

    json_object_begin (&value, NULL);
    json_string (&value, "fine", "fine");
    json_string (&value, "cwd", bad[i]);
    json_string (&value, "later", bad[i]);
    json_object_end (&value);
    check_refused (&value, -EILSEQ, "cwd: not valid UTF-8, which JSON cannot carry");

    json_array_begin (&entry, NULL);
    json_string (&entry, NULL, bad[i]);
    json_array_end (&entry);
    check_refused (&entry, -EILSEQ, "a list entry: not valid UTF-8, which JSON cannot carry");

    json_object_begin (&key, NULL);
    json_bool (&key, bad[i], true);
    json_object_end (&key);
    check_refused (&key, -EILSEQ, "a key: not valid UTF-8, which JSON cannot carry");
  }
}

/* One letter is one call: { } and [ ] open and close, capitals with a key; n is a value, N one with a key. */
static void play (struct json_writer *w, const char *calls)
{
  for (; *calls != '\0'; calls++)
    switch (*calls) {
    case '{': json_object_begin (w, NULL); break;
    case 'O': json_object_begin (w, "o"); break;
    case '}': json_object_end (w); break;
    case '[': json_array_begin (w, NULL); break;
    case 'A': json_array_begin (w, "a"); break;
    case ']': json_array_end (w); break;
    case 'n': json_number (w, NULL, 1); break;
    case 'N': json_number (w, "n", 1); break;
    default: fail_msg ("no such call: %c", *calls);
    }
}

static void test_misuse_is_refused (void **state)
{
  static const char *const wrong[] = {
    "",    "{", "[",  "}",  "]",   "{]",  "[}",   "{{}",  "{}}",  "[[]",  "{}{}", "[][]", "nn",
    "[]n", "N", "O}", "A]", "{n}", "[N]", "{[]}", "[A]]", "[O}]", "{{}}", "{}n",  "]{}",  "[}]{}",
  };
  static const char *const right[] = { "{}", "[]", "n", "{NN}", "[nn]", "{A]O}N}", "[[]{}n]", "{A[n]{N}]}" };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (wrong); i++) {
    cleanup_json_writer struct json_writer w = { 0 };
    cleanup_error struct error err = { 0 };
    char *text = NULL;

    play (&w, wrong[i]);
    CHECK (json_finish (&w, &text, &err) == -EINVAL && text == NULL, "'%s' is not refused", wrong[i]);
    assert_string_equal (error_text (&err), "internal error: JSON writer used out of order");
  }
  for (size_t i = 0; i < ARRAY_LEN (right); i++) {
    cleanup_json_writer struct json_writer w = { 0 };
    cleanup_free char *text = NULL;

    play (&w, right[i]);
    CHECK (json_finish (&w, &text, NULL) == 0, "'%s' is refused", right[i]);
  }
}

static void nest (struct json_writer *w, unsigned depth)
{
  for (unsigned i = 0; i < depth; i++)
    json_array_begin (w, NULL);
  for (unsigned i = 0; i < depth; i++)
    json_array_end (w);
}

static void test_depth (void **state)
{
  cleanup_json_writer struct json_writer deep = { 0 }, deeper = { 0 };
  char expected[2 * JSON_WRITE_DEPTH + 2];

  (void) state;
  memset (expected, '[', JSON_WRITE_DEPTH);
  memset (expected + JSON_WRITE_DEPTH, ']', JSON_WRITE_DEPTH);
  memcpy (expected + (size_t) 2 * JSON_WRITE_DEPTH, "\n", 2);
  nest (&deep, JSON_WRITE_DEPTH);
  check_text (&deep, expected);
  nest (&deeper, JSON_WRITE_DEPTH + 1);
  check_refused (&deeper, -EINVAL, "internal error: JSON writer used out of order");
}

static void test_failure_is_sticky (void **state)
{
  cleanup_json_writer struct json_writer w = { 0 };

  (void) state;
  json_object_begin (&w, NULL);
  w.buf.failed = true; /* as after a failed allocation */
  json_string (&w, "a", "b");
  json_object_end (&w);
  check_refused (&w, -ENOMEM, "out of memory");
}

/* As decoders of UTF-8 do it: one U+FFFD for the longest start of a character that did not come. */
static void test_any_bytes (void **state)
{
  static const struct {
    const char *bytes;
    size_t len;
    const char *text;
  } rows[] = {
    { "", 0, "\"\"\n" },
    { "a\0b", 3, "\"a\\u0000b\"\n" },
    { "\xff", 1, "\"\xef\xbf\xbd\"\n" },
    { "x\x80\x80y", 4, "\"x\xef\xbf\xbd\xef\xbf\xbdy\"\n" },
    { "\xe2\x82", 2, "\"\xef\xbf\xbd\"\n" },
    { "\xe2\x82z", 3, "\"\xef\xbf\xbdz\"\n" },
    { "\xf0\x9f\x98\x80\n", 5, "\"\xf0\x9f\x98\x80\\n\"\n" },
    { "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n" },
    { "\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"\n" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json_writer struct json_writer w = { 0 };

    json_bytes (&w, NULL, rows[i].bytes, rows[i].len);
    check_text (&w, rows[i].text);
  }
}

static void test_copied_tree (void **state)
{
  static const struct json_limits limits = { 4096, 32, 100, .comments = false };
  static const char text[] =
      "{\"a\":[1,-2.50e3,\"x\\ny\",null,true,{},[]],\"b\":{\"c\":18446744073709551616}}\n";
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_json struct json_node *tree = NULL;
  cleanup_error struct error err = { 0 };

  (void) state;
  assert_int_equal (json_read ("text", text, strlen (text), &limits, &tree, &err), 0);
  json_copy (&w, NULL, tree);
  check_text (&w, text);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_compact),
  cmocka_unit_test (test_pretty),
  cmocka_unit_test (test_again_gives_the_same),
  cmocka_unit_test (test_top_level_values),
  cmocka_unit_test (test_escapes),
  cmocka_unit_test (test_reader_gives_back_what_was_written),
  cmocka_unit_test (test_bad_text_is_named),
  cmocka_unit_test (test_misuse_is_refused),
  cmocka_unit_test (test_depth),
  cmocka_unit_test (test_any_bytes),
  cmocka_unit_test (test_copied_tree),
  cmocka_unit_test (test_failure_is_sticky),
};

UNIT_MAIN (cases)
