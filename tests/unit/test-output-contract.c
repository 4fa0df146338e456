/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command printed, as JSON.parse would read it; and a StepResult of a ToolRunner that is as large. */
#include <config.h>

#include "toolrunner-output-contract.h"

#include "base-json-write.h"
#include "base-str.h"
#include "toolrunner-step-result.h"
#include "unit.h"

static const struct json_node none = { .type = JSON_OBJECT };

static struct json_node *parsed (const char *text, size_t len)
{
  cleanup_error struct error err = { 0 };
  cleanup_free char *violation = NULL;
  struct json_node *tree = NULL;

  CHECK (output_contract_check (&none, text, len, false, &tree, &violation, &err) == 0, "%s",
         error_text (&err));
  assert_null (violation);
  return tree;
}

static void test_like_javascript (void **state)
{
  static const struct {
    const char *text, *json; /* NULL: not JSON */
  } rows[] = {
    { " [1,\n2]\t\r\n", "[1,2]\n" },
    { "", NULL },
    { "[1]\v", NULL },
    { "\f[1]", NULL },
    { "\xef\xbb\xbf[1]", NULL },
    { "\xc2\xa0[1]", NULL },
    { "[1] [2]", NULL },
    { "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}\n" },
    { "{\"a\":{\"x\":1},\"a\":[],\"c\":0,\"a\":\"last\",\"c\":{}}", "{\"a\":\"last\",\"c\":{}}\n" },
    { "[{\"a\":1,\"\\u0061\":2}]", "[{\"a\":2}]\n" },
    { "{\"\":1,\"\":2}", "{\"\":2}\n" },
    { "\"a\\u0000b\\ud800\"", "\"a\357\277\275b\357\277\275\"\n" },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *tree = parsed (rows[i].text, strlen (rows[i].text));
    cleanup_json_writer struct json_writer w = { 0 };
    cleanup_error struct error err = { 0 };
    cleanup_free char *json = NULL;

    CHECK ((tree == NULL) == (rows[i].json == NULL), "'%s'", rows[i].text);
    if (tree == NULL)
      continue;
    json_copy (&w, NULL, tree);
    assert_int_equal (json_finish (&w, &json, &err), 0);
    CHECK (strcmp (json, rows[i].json) == 0, "'%s' became %s", rows[i].text, json);
  }
}

static void add_members (struct strbuf *text, size_t count)
{
  strbuf_add (text, "{");
  for (size_t i = 0; i < count; i++)
    strbuf_addf (text, "%s\"%zu\":%zu", i > 0 ? "," : "", i, i);
  strbuf_add (text, "}");
}

/* Limits of our other readers, which JavaScript does not have. */
static void test_large (void **state)
{
  cleanup_strbuf struct strbuf members = { 0 }, number = { 0 };
  cleanup_json struct json_node *object = NULL, *digits = NULL;

  (void) state;
  add_members (&members, 40000);
  object = parsed (members.text, members.len);
  assert_non_null (object);
  assert_int_equal (object->count, 40000);
  assert_string_equal (object->keys[39999].name, "39999");
  for (size_t i = 0; i < 1000; i++)
    strbuf_add (&number, "9");
  digits = parsed (number.text, number.len);
  assert_non_null (digits);
  assert_int_equal (digits->type, JSON_NUMBER);
}

static void test_depth (void **state)
{
  char text[2 * JSON_WRITE_DEPTH];

  (void) state;
  for (size_t depth = JSON_WRITE_DEPTH - 2; depth < JSON_WRITE_DEPTH; depth++) {
    cleanup_json struct json_node *tree = NULL;

    memset (text, '[', depth);
    memset (text + depth, ']', depth);
    tree = parsed (text, 2 * depth);
    assert_int_equal (tree != NULL, depth == 126);
  }
}

static void test_runner (void **state)
{
  const struct answer_sandbox sandbox = { "{\"run\":\"r\"}", false, NULL };
  cleanup_strbuf struct strbuf line = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *answer = NULL;

  (void) state;
  strbuf_add (&line, "{\"success\":true,\"result\":");
  add_members (&line, 50000);
  strbuf_add (&line, "}");
  CHECK (answer_runner (line.text, line.len, &sandbox, &answer, &err) == 0, "%s", error_text (&err));
  assert_non_null (strstr (answer, "\"49999\":49999"));
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_like_javascript),
  cmocka_unit_test (test_large),
  cmocka_unit_test (test_depth),
  cmocka_unit_test (test_runner),
};

UNIT_MAIN (cases)
