/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output contracts: values against schemas, with the messages of the library that Tyrum uses. */
#include <config.h>

#include "toolrunner-json-schema.h"

#include "unit.h"

struct row {
  const char *schema, *value;
  const char *problems; /* NULL: it matches */
};

static struct json_node *read_json (const char *text)
{
  const struct json_limits limits = { 1 << 20, 100, 10000, .comments = false };
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;

  CHECK (json_read ("test", text, strlen (text), &limits, &tree, &err) == 0, "%s: %s", text,
         error_text (&err));
  return tree;
}

static void check_rows (const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cleanup_json struct json_node *schema = read_json (rows[i].schema), *value = read_json (rows[i].value);
    cleanup_strbuf struct strbuf problems = { 0 };
    bool matches = json_schema_matches (schema, value, &problems);
    const char *found = problems.len > 0 ? problems.text : "";

    CHECK (matches == (rows[i].problems == NULL), "%s of %s: %s", rows[i].schema, rows[i].value, found);
    CHECK (strcmp (found, rows[i].problems ? rows[i].problems : "") == 0, "%s of %s: %s", rows[i].schema,
           rows[i].value, found);
  }
}

static void test_values (void **state)
{
  static const struct row rows[] = {
    { "true", "1", NULL },
    { "false", "1", "data boolean schema is false" },
    { "{}", "null", NULL },
    { "{\"title\":1,\"x-unknown\":2,\"format\":\"email\"}", "\"x\"", NULL },
    { "{\"type\":\"string\"}", "\"x\"", NULL },
    { "{\"type\":\"string\"}", "1", "data must be string" },
    { "{\"type\":[\"string\",\"null\"]}", "null", NULL },
    { "{\"type\":[\"string\",\"null\"]}", "1", "data must be string,null" },
    { "{\"type\":\"string\",\"nullable\":true}", "null", NULL },
    { "{\"type\":\"integer\"}", "1.0", NULL },
    { "{\"type\":\"integer\"}", "1e3", NULL },
    { "{\"type\":\"integer\"}", "1.5", "data must be integer" },
    { "{\"type\":\"number\"}", "1.5", NULL },
    { "{\"type\":\"boolean\"}", "0", "data must be boolean" },
    { "{\"enum\":[1,\"a\",[2]]}", "[2.0]", NULL },
    { "{\"enum\":[1,\"a\",[2]]}", "[3]", "data must be equal to one of the allowed values" },
    { "{\"const\":{\"a\":1,\"b\":2}}", "{\"b\":2,\"a\":1}", NULL },
    { "{\"const\":{\"a\":1}}", "{\"a\":2}", "data must be equal to constant" },
    { "{\"minimum\":2}", "2", NULL },
    { "{\"minimum\":2}", "1", "data must be >= 2" },
    { "{\"minimum\":2}", "\"1\"", NULL },
    { "{\"maximum\":2}", "2.5", "data must be <= 2" },
    { "{\"exclusiveMinimum\":2}", "2", "data must be > 2" },
    { "{\"exclusiveMaximum\":2}", "2", "data must be < 2" },
    { "{\"multipleOf\":0.5}", "1.5", NULL },
    { "{\"multipleOf\":2}", "3", "data must be multiple of 2" },
    { "{\"minLength\":2}", "\"\303\251\303\251\"", NULL },
    { "{\"minLength\":3}", "\"\303\251\303\251\"", "data must NOT have fewer than 3 characters" },
    { "{\"maxLength\":2}", "\"\303\251\303\251\"", NULL },
    { "{\"maxLength\":1}", "\"ab\"", "data must NOT have more than 1 characters" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

static void test_containers (void **state)
{
  static const struct row rows[] = {
    { "{\"items\":{\"type\":\"number\"}}", "[1,\"a\",null]", "data/1 must be number; data/2 must be number" },
    { "{\"items\":[{\"type\":\"number\"}]}", "[1,\"a\"]", NULL },
    { "{\"items\":[{\"type\":\"number\"}],\"additionalItems\":{\"type\":\"null\"}}", "[1,\"a\"]",
      "data/1 must be null" },
    { "{\"minItems\":1}", "[]", "data must NOT have fewer than 1 items" },
    { "{\"maxItems\":1}", "[1,2]", "data must NOT have more than 1 items" },
    { "{\"uniqueItems\":true}", "[1,2,{\"a\":1},{\"a\":1}]",
      "data must NOT have duplicate items (items ## 2 and 3 are identical)" },
    { "{\"uniqueItems\":false}", "[1,1]", NULL },
    { "{\"contains\":{\"const\":1}}", "[0,1]", NULL },
    { "{\"contains\":{\"const\":1}}", "[0]", "data must contain at least 1 valid item(s)" },
    { "{\"contains\":{\"const\":1},\"minContains\":0}", "[0]", NULL },
    { "{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,1]",
      "data must contain at least 1 and no more than 1 valid item(s)" },
    { "{\"properties\":{\"a/b\":{\"type\":\"null\"}}}", "{\"a/b\":1}", "data/a~1b must be null" },
    { "{\"properties\":{\"a\":false}}", "{\"b\":1}", NULL },
    { "{\"required\":[\"a\",\"b\"]}", "{\"a\":1}", "data must have required property 'b'" },
    { "{\"required\":[\"a\"]}", "[]", NULL },
    { "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "{\"a\":1,\"b\":2}",
      "data must NOT have additional properties" },
    { "{\"additionalProperties\":{\"type\":\"null\"}}", "{\"b\":2}", "data/b must be null" },
    { "{\"minProperties\":1}", "{}", "data must NOT have fewer than 1 properties" },
    { "{\"maxProperties\":0}", "{\"a\":1}", "data must NOT have more than 0 properties" },
    { "{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}",
      "data must NOT have more than 1 characters; data property name must be valid" },
    { "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
      "data must have property b when property a is present" },
    { "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"c\":1}", NULL },
    { "{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}",
      "data must have required property 'b'" },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

static void test_combinations (void **state)
{
  static const struct row rows[] = {
    { "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2", NULL },
    { "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "4", "data must be <= 3" },
    { "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "4", NULL },
    { "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "2",
      "data must be null; data must be >= 3; data must match a schema in anyOf" },
    { "{\"oneOf\":[{\"minimum\":1},{\"minimum\":3}]}", "2", NULL },
    { "{\"oneOf\":[{\"minimum\":1},{\"minimum\":3}]}", "4", "data must match exactly one schema in oneOf" },
    { "{\"not\":{\"type\":\"null\"}}", "1", NULL },
    { "{\"not\":{\"type\":\"null\"}}", "null", "data must NOT be valid" },
    { "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2},\"else\":{\"minimum\":1}}", "\"a\"",
      "data must NOT have fewer than 2 characters; data must match \"then\" schema" },
    { "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2}}", "0", NULL },
    { "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"number\"}}}", "\"a\"", "data must be number" },
    { "{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"v\"]}", "{\"v\":1,\"next\":{}}",
      "data/next must have required property 'v'" },
    { "{\"$ref\":\"#/allOf/1\",\"allOf\":[true,{\"type\":\"number\"}]}", "1", NULL },
    { "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\"}", "1", NULL },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

#define INVALID(why)      "invalid output schema: " why
#define UNSUPPORTED(name) INVALID ("the keyword '" name "' is not supported by tyrum-oci")

/* A schema that cannot be used refuses, also where what it says could not matter. */
static void test_invalid (void **state)
{
  static const struct row rows[] = {
    { "{\"pattern\":\"a\"}", "\"a\"", UNSUPPORTED ("pattern") },
    { "{\"anyOf\":[true,{\"patternProperties\":{}}]}", "1", UNSUPPORTED ("patternProperties") },
    { "{\"not\":{\"unevaluatedProperties\":false}}", "{}", UNSUPPORTED ("unevaluatedProperties") },
    { "{\"unevaluatedItems\":false}", "[]", UNSUPPORTED ("unevaluatedItems") },
    { "{\"$recursiveRef\":\"#\"}", "[]", UNSUPPORTED ("$recursiveRef") },
    { "{\"dependencies\":{}}", "{}", UNSUPPORTED ("dependencies") },
    { "{\"type\":\"text\"}", "1", INVALID ("'type' is not a type") },
    { "{\"minimum\":\"1\"}", "\"a\"", INVALID ("'minimum' has a value that it cannot have") },
    { "{\"minLength\":-1}", "\"a\"", INVALID ("'minLength' has a value that it cannot have") },
    { "{\"minItems\":1.5}", "[]", INVALID ("'minItems' has a value that it cannot have") },
    { "{\"items\":1}", "[]", INVALID ("'items' has a value that it cannot have") },
    { "{\"properties\":{\"a\":1}}", "{\"a\":1}", INVALID ("schema must be object or boolean") },
    { "{\"anyOf\":[]}", "1", INVALID ("'anyOf' is not a list of schemas") },
    { "{\"multipleOf\":0}", "1", INVALID ("'multipleOf' is not greater than 0") },
    { "{\"$ref\":\"#/nowhere\"}", "1", INVALID ("can't resolve reference #/nowhere") },
    { "{\"$ref\":\"http://example.org/x\"}", "1", INVALID ("can't resolve reference http://example.org/x") },
    { "{\"$ref\":\"#\"}", "1", INVALID ("it refers to itself too often") },
    { "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}", "1",
      INVALID ("no schema with key or ref \"http://json-schema.org/draft-07/schema#\"") },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

/* Thirty lines that ask for a thousand million steps. */
static void test_work (void **state)
{
  cleanup_strbuf struct strbuf text = { 0 }, problems = { 0 };
  cleanup_json struct json_node *schema = NULL, *value = read_json ("1");

  (void) state;
  strbuf_add (&text, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 30; i++)
    strbuf_addf (&text, "\"d%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]},", i,
                 i + 1, i + 1);
  strbuf_add (&text, "\"d30\":true}}");
  schema = read_json (text.text);
  assert_false (json_schema_matches (schema, value, &problems));
  assert_string_equal (problems.text, INVALID ("it takes too many steps"));
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_values),  cmocka_unit_test (test_containers), cmocka_unit_test (test_combinations),
  cmocka_unit_test (test_invalid), cmocka_unit_test (test_work),
};

UNIT_MAIN (cases)
