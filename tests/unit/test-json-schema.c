/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output contracts: values against schemas, with the messages of the library that Tyrum uses. */
#include <config.h>

#include "toolrunner-json-schema.h"

#include <time.h>

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
    { "{\"title\":\"t\",\"x-unknown\":2,\"format\":\"email\"}", "\"x\"", NULL },
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
    { "{\"multipleOf\":0.1}", "1e300", "data must be multiple of 0.1" },
    { "{\"multipleOf\":1e-300}", "1e300", "data must be multiple of 1e-300" },
    { "{\"multipleOf\":1}", "1e20", NULL },
    { "{\"multipleOf\":1}", "1e21", "data must be multiple of 1" },
    { "{\"multipleOf\":1,\"minimum\":5,\"maximum\":6}", "1e999",
      "data must be <= 6; data must be multiple of 1" },
    { "{\"type\":\"number\"}", "1e999", NULL },
    { "{\"type\":[\"integer\",\"string\"]}", "-1e999", NULL },
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
    { "{\"uniqueItems\":true}", "[1,\"1\",true,null,[1],{\"a\":1},{\"a\":2},{\"b\":1},0,false,\"\",[]]",
      NULL },
    { "{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},0,{\"b\":2.0,\"a\":1e0}]",
      "data must NOT have duplicate items (items ## 0 and 2 are identical)" },
    { "{\"uniqueItems\":true}", "[1,2,1,2,1]",
      "data must NOT have duplicate items (items ## 2 and 4 are identical)" },
    { "{\"uniqueItems\":true,\"items\":{\"type\":\"number\"}}", "[1,2,1,2]",
      "data must NOT have duplicate items (items ## 3 and 1 are identical)" },
    { "{\"uniqueItems\":true}", "[0,-0.0]",
      "data must NOT have duplicate items (items ## 0 and 1 are identical)" },
    { "{\"contains\":{\"const\":1}}", "[0,1]", NULL },
    { "{\"contains\":{\"const\":1}}", "[0]",
      "data/0 must be equal to constant; data must contain at least 1 valid item(s)" },
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
    { "{\"type\":\"text\"}", "1", INVALID ("'type' has a value that it cannot have") },
    { "{\"minimum\":\"1\"}", "\"a\"", INVALID ("'minimum' has a value that it cannot have") },
    { "{\"minLength\":-1}", "\"a\"", INVALID ("'minLength' has a value that it cannot have") },
    { "{\"minItems\":1.5}", "[]", INVALID ("'minItems' has a value that it cannot have") },
    { "{\"items\":1}", "[]", INVALID ("schema must be object or boolean") },
    { "{\"properties\":{\"a\":1}}", "{\"a\":1}", INVALID ("schema must be object or boolean") },
    { "{\"anyOf\":[]}", "1", INVALID ("'anyOf' has a value that it cannot have") },
    { "{\"multipleOf\":0}", "1", INVALID ("'multipleOf' has a value that it cannot have") },
    { "{\"$ref\":\"#/nowhere\"}", "1", INVALID ("can't resolve reference #/nowhere") },
    { "{\"$ref\":\"http://example.org/x\"}", "1", INVALID ("can't resolve reference http://example.org/x") },
    { "{\"$ref\":\"#\"}", "1", INVALID ("it refers to itself too often") },
    { "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}", "1",
      INVALID ("no schema with key or ref \"http://json-schema.org/draft-07/schema#\"") },
  };

  (void) state;
  check_rows (rows, ARRAY_LEN (rows));
}

/* ... and where no value comes to it. */
static void test_unvisited (void **state)
{
#define NOT_A(name) INVALID ("'" name "' has a value that it cannot have")
#define BASE        INVALID ("'$id' is supported by tyrum-oci only at the root of a schema")
  static const struct row rows[] = {
    { "{\"properties\":{\"a\":{\"type\":\"text\"}}}", "{}", NOT_A ("type") },
    { "{\"properties\":{\"a\":{\"pattern\":\"x\"}}}", "1", UNSUPPORTED ("pattern") },
    { "{\"items\":{\"minimum\":\"1\"}}", "[]", NOT_A ("minimum") },
    { "{\"items\":[true,{\"minimum\":null}]}", "[1]", NOT_A ("minimum") },
    { "{\"additionalItems\":7}", "1", INVALID ("schema must be object or boolean") },
    { "{\"additionalProperties\":{\"enum\":1}}", "{}", NOT_A ("enum") },
    { "{\"$defs\":{\"a\":{\"required\":[1]}}}", "1", NOT_A ("required") },
    { "{\"definitions\":{\"a\":{\"required\":[\"x\",\"x\"]}}}", "1", NOT_A ("required") },
    { "{\"then\":{\"maxItems\":1.5}}", "1", NOT_A ("maxItems") },
    { "{\"if\":true,\"else\":{\"dependentRequired\":{\"a\":1}}}", "1", NOT_A ("dependentRequired") },
    { "{\"dependentSchemas\":{\"a\":{\"type\":[]}}}", "1", NOT_A ("type") },
    { "{\"type\":[\"null\",\"null\"]}", "null", NOT_A ("type") },
    { "{\"contains\":{\"uniqueItems\":1}}", "[]", NOT_A ("uniqueItems") },
    { "{\"minContains\":-1}", "1", NOT_A ("minContains") },
    { "{\"nullable\":true}", "1", INVALID ("\"nullable\" cannot be used without \"type\"") },
    { "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/no\"}}}", "1",
      INVALID ("can't resolve reference #/$defs/no") },
    { "{\"properties\":{\"a\":{\"$ref\":1}}}", "1", NOT_A ("$ref") },
    /* References to where no subschema is. */
    { "{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"type\":\"null\"}}}", "1", "data must be null" },
    { "{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"items\":{\"$ref\":\"#/x/y\"}}}}", "[[[]]]", NULL },
    { "{\"items\":{\"$ref\":\"#/x/y\"},\"x\":{\"y\":{\"type\":1}}}", "1", NOT_A ("type") },
    { "{\"items\":{\"$ref\":\"#/enum/00\"},\"enum\":[{}]}", "{}",
      INVALID ("can't resolve reference #/enum/00") },
    /* A base of its own changes what references mean. */
    { "{\"$id\":\"http://a/b\",\"type\":\"null\"}", "null", NULL },
    { "{\"$id\":1}", "null", BASE },
    { "{\"properties\":{\"$id\":{\"type\":\"string\"}}}", "{\"$id\":\"x\"}", NULL },
    { "{\"$defs\":{\"n\":{\"type\":\"null\"}},\"properties\":{\"a\":{\"$id\":\"http://a/b\",\"$ref\":\"#/"
      "$defs/n\","
      "\"$defs\":{\"n\":{\"type\":\"string\"}}}}}",
      "{\"a\":null}", BASE },
    { "{\"$ref\":\"#/x/y\",\"x\":{\"$id\":\"http://a/b\",\"y\":true}}", "1",
      INVALID ("can't resolve reference #/x/y") },
    { "{\"id\":\"http://a/b\"}", "1", UNSUPPORTED ("id") },
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

/* ---- Hostile output: no output of half a megabyte, and no schema of a payload, takes more than two seconds
 * of processor time. */

/* Sanitizers make it some twenty times slower. */
#if defined(__SANITIZE_ADDRESS__)
#define SECONDS_MAX 40
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SECONDS_MAX 40
#endif
#endif
#ifndef SECONDS_MAX
#define SECONDS_MAX 2
#endif

static double seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* COUNT times UNIT with commas between, in which each '@' is the number. */
static void add_units (struct strbuf *out, const char *unit, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *rest = unit;

    strbuf_add (out, i > 0 ? "," : "");
    for (const char *number; (number = strchr (rest, '@')) != NULL; rest = number + 1)
      strbuf_addf (out, "%.*s%zu", (int) (number - rest), rest, i);
    strbuf_add (out, rest);
  }
}

struct part {
  const char *before, *unit;
  size_t count;
  const char *after;
};

static struct json_node *read_parts (const struct part *parts)
{
  static const struct json_limits limits = { 1 << 24, 64, 1 << 21, .comments = false, .string = 1 << 20 };
  cleanup_strbuf struct strbuf text = { 0 };
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;

  for (; parts->before != NULL; parts++) {
    strbuf_add (&text, parts->before);
    add_units (&text, parts->unit, parts->count);
    strbuf_add (&text, parts->after);
  }
  CHECK (json_read ("hostile", text.text, text.len, &limits, &tree, &err) == 0, "%s", error_text (&err));
  return tree;
}

/* Large but honest output passes. */
static void test_large (void **state)
{
  static const struct {
    struct part schema[2], value[2];
  } rows[] = {
    { { { "{\"uniqueItems\":true}", "", 0, "" } }, { { "[", "\"item @\"", 40000, "]" } } },
    { { { "{\"uniqueItems\":true}", "", 0, "" } }, { { "[", "@", 70000, "]" } } },
    { { { "{\"uniqueItems\":true}", "", 0, "" } }, { { "[", "{\"id\":@}", 35000, "]" } } },
    { { { "{\"items\":{\"type\":\"object\",\"required\":[\"id\",\"name\",\"ok\"],\"properties\":{\"id\":{"
          "\"type\":\"integer\","
          "\"minimum\":0},\"name\":{\"type\":\"string\",\"minLength\":1},\"ok\":{\"anyOf\":[{\"type\":"
          "\"null\"},"
          "{\"type\":\"boolean\"}]}},\"additionalProperties\":false}}",
          "", 0, "" } },
      { { "[", "{\"id\":@,\"name\":\"n\",\"ok\":true}", 14000, "]" } } },
    { { { "{\"items\":{\"type\":[\"integer\",\"null\"],\"minimum\":0,\"maximum\":9}}", "", 0, "" } },
      { { "[", "1", 255000, "]" } } },
    { { { "{\"additionalProperties\":{\"type\":\"integer\"}}", "", 0, "" } },
      { { "{", "\"@\":@", 4000, "}" } } },
  };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *schema = read_parts (rows[i].schema), *value = read_parts (rows[i].value);
    cleanup_strbuf struct strbuf problems = { 0 };

    CHECK (json_schema_matches (schema, value, &problems), "%zu: %s", i, problems.text);
  }
}

static void test_hostile (void **state)
{
  static char name[250001];
  static const struct {
    const char *about;
    struct part schema[3], value[3];
  } rows[] = {
    { "a long name above many items",
      { { "{\"additionalProperties\":{\"items\":{\"type\":\"number\"}}}", "", 0, "" } },
      { { "{\"", name, 1, "\":[" }, { "", "1", 120000, "]}" } } },
    { "a long name above many items that do not match",
      { { "{\"additionalProperties\":{\"items\":{\"type\":\"null\"}}}", "", 0, "" } },
      { { "{\"", name, 1, "\":[" }, { "", "1", 120000, "]}" } } },
    { "thousands of unknown keywords for each item",
      { { "{\"items\":{", "\"x@\":1", 4000, "}}" } },
      { { "[", "1", 255000, "]" } } },
    { "unique long strings",
      { { "{\"uniqueItems\":true,\"items\":{\"enum\":[", "\"@\"", 4000, "]}}" } },
      { { "[", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@\"", 10000, "]" } } },
    { "unique large objects",
      { { "{\"uniqueItems\":true}", "", 0, "" } },
      { { "[{", "\"@\":0", 4000, "}," }, { "", "{\"a\":1}", 50000, "]" } } },
    { "the same large object many times",
      { { "{\"allOf\":[", "{\"uniqueItems\":true}", 4000, "]}" } },
      { { "[{", "\"@\":0", 4000, "}," }, { "", "{\"a\":@}", 40000, "]" } } },
    { "many required names, by many references",
      { { "{\"$defs\":{\"r\":{\"required\":[", "\"n@\"", 4000, "]}}," },
        { "\"items\":{\"allOf\":[", "{\"$ref\":\"#/$defs/r\"}", 1000, "]}}" } },
      { { "[", "{}", 170000, "]" } } },
    { "many required names of many members",
      { { "{\"items\":{\"required\":[", "\"n@\"", 100000, "]}}" } },
      { { "[{", "\"n@\":0", 4000, "}," }, { "", "{}", 150000, "]" } } },
    { "many properties of many members",
      { { "{\"anyOf\":[{\"properties\":{", "\"n@\":{\"type\":\"null\"}", 4000, "}}," },
        { "", "{\"$ref\":\"#/anyOf/0\"}", 20000, "]}" } },
      { { "{", "\"n@\":0", 4000, "}" } } },
    { "many dependencies",
      { { "{\"items\":{\"dependentRequired\":{", "\"n@\":[\"x\"]", 4000, "}}}" } },
      { { "[", "{\"n3999\":0}", 40000, "]" } } },
    { "many long strings to be counted",
      { { "{\"allOf\":[", "{\"minLength\":1}", 100000, "]}" } },
      { { "\"", name, 1, "\"" } } },
    { "a long constant, compared often",
      { { "{\"anyOf\":[", "{\"const\":\"@\"}", 100000, "," }, { "{\"const\":\"", name, 1, "\"}]}" } },
      { { "\"", name, 1, "\"" } } },
    { "a long reference, followed often",
      { { "{\"$defs\":{\"", name, 1, "\":{}}," }, { "\"items\":{\"$ref\":\"#/$defs/", name, 1, "\"}}" } },
      { { "[", "1", 255000, "]" } } },
  };

  (void) state;
  memset (name, 'n', sizeof (name) - 1);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++) {
    cleanup_json struct json_node *schema = read_parts (rows[i].schema), *value = read_parts (rows[i].value);
    cleanup_strbuf struct strbuf problems = { 0 };
    double before = seconds (), took;
    bool matches = json_schema_matches (schema, value, &problems);

    took = seconds () - before;
    print_message ("# %.2f s, %s: %s: %.60s\n", took, matches ? "matches" : "does not match", rows[i].about,
                   problems.len > 0 ? problems.text : "");
    CHECK (took < SECONDS_MAX, "%s: %.1f s", rows[i].about, took);
    CHECK (problems.len < 4096, "%s: %zu bytes", rows[i].about, problems.len);
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_values),  cmocka_unit_test (test_containers), cmocka_unit_test (test_combinations),
  cmocka_unit_test (test_invalid), cmocka_unit_test (test_unvisited),  cmocka_unit_test (test_work),
  cmocka_unit_test (test_large),   cmocka_unit_test (test_hostile),
};

UNIT_MAIN (cases)
