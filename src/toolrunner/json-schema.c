/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-json-schema.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

/* A reference can lead back to where it stands, and a few lines of references can double the work many
 * times. */
#define DEPTH_MAX    200u
#define STEPS_MAX    2000000u
#define PROBLEMS_MAX 2000u

#define DRAFT "https://json-schema.org/draft/2019-09/schema"

struct check {
  const struct json_node *root;
  struct strbuf *problems;
  unsigned depth;
  unsigned steps;
  char invalid[160]; /* why the schema cannot be used; "": it can */
};

/* One keyword at one place: SCHEMA has it with OPERAND, and VALUE is at PATH. */
struct place {
  const struct json_node *schema, *operand, *value;
  const char *path;
};

static bool check_value (struct check *check, const struct json_node *schema, const struct json_node *value,
                         const char *path);

/* ---- What is wrong. */

static bool __attribute__ ((format (printf, 2, 3)))
refuse_schema (struct check *check, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (check->invalid[0] == '\0')
    vsnprintf (check->invalid, sizeof (check->invalid), format, args);
  va_end (args);
  return false;
}

static bool __attribute__ ((format (printf, 3, 4)))
complain (struct check *check, const char *path, const char *format, ...)
{
  char text[240];
  va_list args;

  va_start (args, format);
  vsnprintf (text, sizeof (text), format, args);
  va_end (args);
  if (check->problems->len < PROBLEMS_MAX)
    strbuf_addf (check->problems, "%sdata%.200s %s", check->problems->len > 0 ? "; " : "", path, text);
  return false;
}

/* Removes what was added since LEN. */
static void forget (struct check *check, size_t len)
{
  if (check->problems->len > len) {
    check->problems->len = len;
    check->problems->text[len] = '\0';
  }
}

static bool matches_silently (struct check *check, const struct json_node *schema,
                              const struct json_node *value, const char *path)
{
  size_t len = check->problems->len;
  bool matches = check_value (check, schema, value, path);

  forget (check, len);
  return matches;
}

/* ---- Operands and values. */

static double number_of (const struct json_node *node)
{
  return strtod (node->text, NULL);
}

/* From 2^53 on a number has no fraction. */
static bool has_no_fraction (double value)
{
  const double large = 9007199254740992.0;

  return value >= large || value <= -large
         || !((double) (int64_t) value < value || (double) (int64_t) value > value);
}

static bool is_whole (const struct json_node *node)
{
  return node->type == JSON_NUMBER && has_no_fraction (number_of (node));
}

static bool is_schema (const struct json_node *node)
{
  return node->type == JSON_OBJECT || node->type == JSON_BOOL;
}

static size_t characters (const char *text)
{
  size_t count = 0;

  for (; *text != '\0'; text++)
    count += ((unsigned char) *text & 0xc0) != 0x80;
  return count;
}

static bool equal (struct check *check, const struct json_node *a, const struct json_node *b)
{
  if (++check->steps > STEPS_MAX)
    return refuse_schema (check, "it takes too many steps");
  if (a->type != b->type || a->count != b->count)
    return false;
  switch (a->type) {
  case JSON_NULL: return true;
  case JSON_BOOL: return a->flag == b->flag;
  case JSON_STRING: return strcmp (a->text, b->text) == 0;
  case JSON_NUMBER: return !(number_of (a) < number_of (b)) && !(number_of (a) > number_of (b));
  case JSON_ARRAY:
    for (size_t i = 0; i < a->count; i++)
      if (!equal (check, a->items[i], b->items[i]))
        return false;
    return true;
  case JSON_OBJECT:
    for (size_t i = 0; i < a->count; i++) {
      const struct json_node *other = json_get (b, a->keys[i].name);

      if (other == NULL || !equal (check, a->items[i], other))
        return false;
    }
    return true;
  }
  return false;
}

/* The path of a member: '/' and '~' are escaped as JSON pointers have it. */
static char *member_path (struct check *check, const char *path, const char *name)
{
  cleanup_strbuf struct strbuf out = { 0 };
  char *text;

  strbuf_addf (&out, "%s/", path);
  for (; *name != '\0'; name++)
    if (*name == '~' || *name == '/')
      strbuf_add (&out, *name == '~' ? "~0" : "~1");
    else
      strbuf_add_bytes (&out, name, 1);
  text = strbuf_take (&out);
  if (text == NULL)
    check->problems->failed = true;
  return text;
}

static bool check_member (struct check *check, const struct json_node *schema, const struct json_node *value,
                          const char *path, const char *name)
{
  cleanup_free char *below = member_path (check, path, name);

  return below != NULL && check_value (check, schema, value, below);
}

static bool check_item (struct check *check, const struct json_node *schema, const struct json_node *array,
                        size_t index, const char *path)
{
  char name[24];

  snprintf (name, sizeof (name), "%zu", index);
  return check_member (check, schema, array->items[index], path, name);
}

/* ---- Keywords for every type of value. */

static bool is_of_type (const struct json_node *value, const char *name)
{
  static const char *const names[] = {
    [JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
    [JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object"
  };

  return strcmp (name, names[value->type]) == 0 || (strcmp (name, "integer") == 0 && is_whole (value));
}

static bool is_type_name (const struct json_node *node)
{
  static const char *const names[] = { "null", "boolean", "number", "string", "array", "object", "integer" };

  for (size_t i = 0; node->type == JSON_STRING && i < ARRAY_LEN (names); i++)
    if (strcmp (node->text, names[i]) == 0)
      return true;
  return false;
}

static bool check_type (struct check *check, const struct place *at)
{
  const struct json_node *nullable = json_get (at->schema, "nullable");
  bool one = at->operand->type != JSON_ARRAY;
  bool found =
      nullable != NULL && nullable->type == JSON_BOOL && nullable->flag && at->value->type == JSON_NULL;
  cleanup_strbuf struct strbuf names = { 0 };

  for (size_t i = 0; i < (one ? 1 : at->operand->count); i++) {
    const struct json_node *name = one ? at->operand : at->operand->items[i];

    if (!is_type_name (name))
      return refuse_schema (check, "'type' is not a type");
    found = found || is_of_type (at->value, name->text);
    strbuf_addf (&names, "%s%s", i > 0 ? "," : "", name->text);
  }
  return found || complain (check, at->path, "must be %s", names.len > 0 ? names.text : "of no type");
}

static bool check_enum (struct check *check, const struct place *at)
{
  if (at->operand->type != JSON_ARRAY)
    return refuse_schema (check, "'enum' is not an array");
  for (size_t i = 0; i < at->operand->count; i++)
    if (equal (check, at->operand->items[i], at->value))
      return true;
  return complain (check, at->path, "must be equal to one of the allowed values");
}

static bool check_const (struct check *check, const struct place *at)
{
  return equal (check, at->operand, at->value) || complain (check, at->path, "must be equal to constant");
}

static bool is_list_of_schemas (const struct json_node *node)
{
  if (node->type != JSON_ARRAY || node->count == 0)
    return false;
  for (size_t i = 0; i < node->count; i++)
    if (!is_schema (node->items[i]))
      return false;
  return true;
}

static bool check_all_of (struct check *check, const struct place *at)
{
  bool matches = true;

  if (!is_list_of_schemas (at->operand))
    return refuse_schema (check, "'allOf' is not a list of schemas");
  for (size_t i = 0; i < at->operand->count; i++)
    matches = check_value (check, at->operand->items[i], at->value, at->path) && matches;
  return matches;
}

/* How many of OPERAND's schemas match. What was wrong with the others stays only where none did. */
static size_t count_matches (struct check *check, const struct place *at)
{
  size_t len = check->problems->len, count = 0;

  for (size_t i = 0; i < at->operand->count; i++)
    count += check_value (check, at->operand->items[i], at->value, at->path);
  if (count > 0)
    forget (check, len);
  return count;
}

static bool check_any_of (struct check *check, const struct place *at)
{
  if (!is_list_of_schemas (at->operand))
    return refuse_schema (check, "'anyOf' is not a list of schemas");
  return count_matches (check, at) > 0 || complain (check, at->path, "must match a schema in anyOf");
}

static bool check_one_of (struct check *check, const struct place *at)
{
  if (!is_list_of_schemas (at->operand))
    return refuse_schema (check, "'oneOf' is not a list of schemas");
  return count_matches (check, at) == 1
         || complain (check, at->path, "must match exactly one schema in oneOf");
}

static bool check_not (struct check *check, const struct place *at)
{
  return !matches_silently (check, at->operand, at->value, at->path)
         || complain (check, at->path, "must NOT be valid");
}

static bool check_if (struct check *check, const struct place *at)
{
  const char *branch = matches_silently (check, at->operand, at->value, at->path) ? "then" : "else";
  const struct json_node *schema = json_get (at->schema, branch);

  return schema == NULL || check_value (check, schema, at->value, at->path)
         || complain (check, at->path, "must match \"%s\" schema", branch);
}

/* Undoes the escapes of one part of a pointer, in place. */
static void unescape (char *part)
{
  char *to = part;

  for (; *part != '\0'; part++)
    if (part[0] == '~' && (part[1] == '0' || part[1] == '1'))
      *to++ = *++part == '0' ? '~' : '/';
    else
      *to++ = *part;
  *to = '\0';
}

static const struct json_node *follow (const struct json_node *node, char *pointer)
{
  char *rest = pointer;

  for (char *part = strsep (&rest, "/"); node != NULL && (part = strsep (&rest, "/")) != NULL;) {
    unescape (part);
    if (node->type == JSON_OBJECT)
      node = json_get (node, part);
    else if (node->type == JSON_ARRAY && part[0] >= '0' && part[0] <= '9')
      node = strtoul (part, NULL, 10) < node->count ? node->items[strtoul (part, NULL, 10)] : NULL;
    else
      node = NULL;
  }
  return node;
}

static bool check_ref (struct check *check, const struct place *at)
{
  const char *text = at->operand->type == JSON_STRING ? at->operand->text : "";
  cleanup_free char *pointer = text[0] == '#' ? strdup (text + 1) : NULL;
  const struct json_node *schema = NULL;

  /* Only pointers within the schema itself; and none with percent signs, which would have to be decoded. */
  if (pointer != NULL && (pointer[0] == '\0' || pointer[0] == '/') && strchr (pointer, '%') == NULL)
    schema = follow (check->root, pointer);
  if (schema == NULL)
    return refuse_schema (check, "can't resolve reference %.80s", text);
  return check_value (check, schema, at->value, at->path);
}

static bool check_draft (struct check *check, const struct place *at)
{
  const char *text = at->operand->type == JSON_STRING ? at->operand->text : "";

  if (strcmp (text, DRAFT) == 0 || strcmp (text, DRAFT "#") == 0)
    return true;
  return refuse_schema (check, "no schema with key or ref \"%.80s\"", text);
}

static bool check_unsupported (struct check *check, const struct place *at)
{
  for (size_t i = 0; i < at->schema->count; i++)
    if (at->schema->items[i] == at->operand)
      return refuse_schema (check, "the keyword '%s' is not supported by tyrum-oci",
                            at->schema->keys[i].name);
  return refuse_schema (check, "a keyword is not supported by tyrum-oci");
}

/* ---- Numbers and strings. */

static bool check_minimum (struct check *check, const struct place *at)
{
  return number_of (at->value) >= number_of (at->operand)
         || complain (check, at->path, "must be >= %s", at->operand->text);
}

static bool check_maximum (struct check *check, const struct place *at)
{
  return number_of (at->value) <= number_of (at->operand)
         || complain (check, at->path, "must be <= %s", at->operand->text);
}

static bool check_above (struct check *check, const struct place *at)
{
  return number_of (at->value) > number_of (at->operand)
         || complain (check, at->path, "must be > %s", at->operand->text);
}

static bool check_below (struct check *check, const struct place *at)
{
  return number_of (at->value) < number_of (at->operand)
         || complain (check, at->path, "must be < %s", at->operand->text);
}

static bool check_multiple (struct check *check, const struct place *at)
{
  double factor = number_of (at->operand);

  if (!(factor > 0))
    return refuse_schema (check, "'multipleOf' is not greater than 0");
  return has_no_fraction (number_of (at->value) / factor)
         || complain (check, at->path, "must be multiple of %s", at->operand->text);
}

static bool check_count (struct check *check, const struct place *at, size_t count, bool most,
                         const char *things)
{
  double bound = number_of (at->operand);

  if (most ? (double) count <= bound : (double) count >= bound)
    return true;
  return complain (check, at->path, "must NOT have %s than %s %s", most ? "more" : "fewer", at->operand->text,
                   things);
}

static bool check_min_length (struct check *check, const struct place *at)
{
  return check_count (check, at, characters (at->value->text), false, "characters");
}

static bool check_max_length (struct check *check, const struct place *at)
{
  return check_count (check, at, characters (at->value->text), true, "characters");
}

/* ---- Arrays. */

static bool check_items (struct check *check, const struct place *at)
{
  const struct json_node *more = json_get (at->schema, "additionalItems");
  bool list = at->operand->type == JSON_ARRAY, matches = true;

  for (size_t i = 0; i < at->value->count; i++) {
    const struct json_node *schema = list ? more : at->operand;

    if (list && i < at->operand->count)
      schema = at->operand->items[i];
    if (schema != NULL)
      matches = check_item (check, schema, at->value, i, at->path) && matches;
  }
  return matches;
}

static bool check_min_items (struct check *check, const struct place *at)
{
  return check_count (check, at, at->value->count, false, "items");
}

static bool check_max_items (struct check *check, const struct place *at)
{
  return check_count (check, at, at->value->count, true, "items");
}

static bool check_unique (struct check *check, const struct place *at)
{
  const struct json_node *array = at->value;

  if (at->operand->type != JSON_BOOL)
    return refuse_schema (check, "'uniqueItems' is not true or false");
  for (size_t i = 1; at->operand->flag && i < array->count; i++)
    for (size_t k = 0; k < i; k++)
      if (equal (check, array->items[i], array->items[k]))
        return complain (check, at->path,
                         "must NOT have duplicate items (items ## %zu and %zu are identical)", k, i);
  return true;
}

static bool check_contains (struct check *check, const struct place *at)
{
  const struct json_node *least = json_get (at->schema, "minContains");
  const struct json_node *most = json_get (at->schema, "maxContains");
  double count = 0;

  if ((least != NULL && !is_whole (least)) || (most != NULL && !is_whole (most)))
    return refuse_schema (check, "'minContains' or 'maxContains' is not a whole number");
  for (size_t i = 0; i < at->value->count; i++)
    count += matches_silently (check, at->operand, at->value->items[i], at->path);
  if (count >= (least ? number_of (least) : 1) && (most == NULL || count <= number_of (most)))
    return true;
  return complain (check, at->path, "must contain at least %s%s%s valid item(s)", least ? least->text : "1",
                   most ? " and no more than " : "", most ? most->text : "");
}

/* ---- Objects. */

static bool check_properties (struct check *check, const struct place *at)
{
  bool matches = true;

  if (at->operand->type != JSON_OBJECT)
    return refuse_schema (check, "'properties' is not an object");
  for (size_t i = 0; i < at->operand->count; i++) {
    const char *name = at->operand->keys[i].name;
    const struct json_node *value = json_get (at->value, name);

    if (value != NULL)
      matches = check_member (check, at->operand->items[i], value, at->path, name) && matches;
  }
  return matches;
}

/* Whether the object has every name in LIST. OF is the property that requires them, or NULL. */
static bool check_names (struct check *check, const struct place *at, const struct json_node *list,
                         const char *of)
{
  bool matches = true;

  if (list->type != JSON_ARRAY)
    return refuse_schema (check, "'required' is not an array");
  for (size_t i = 0; i < list->count; i++) {
    const struct json_node *name = list->items[i];

    if (name->type != JSON_STRING)
      return refuse_schema (check, "'required' has a name that is not a string");
    if (json_get (at->value, name->text) != NULL)
      continue;
    matches = of == NULL
                  ? complain (check, at->path, "must have required property '%.80s'", name->text)
                  : complain (check, at->path, "must have property %.80s when property %.80s is present",
                              name->text, of);
  }
  return matches;
}

static bool check_required (struct check *check, const struct place *at)
{
  return check_names (check, at, at->operand, NULL);
}

static bool check_additional (struct check *check, const struct place *at)
{
  const struct json_node *named = json_get (at->schema, "properties");
  bool matches = true;

  for (size_t i = 0; i < at->value->count; i++) {
    const char *name = at->value->keys[i].name;

    if (named != NULL && named->type == JSON_OBJECT && json_get (named, name) != NULL)
      continue;
    if (at->operand->type == JSON_BOOL && !at->operand->flag)
      matches = complain (check, at->path, "must NOT have additional properties");
    else
      matches = check_member (check, at->operand, at->value->items[i], at->path, name) && matches;
  }
  return matches;
}

static bool check_property_names (struct check *check, const struct place *at)
{
  bool matches = true;

  for (size_t i = 0; i < at->value->count; i++) {
    struct json_node name = { .type = JSON_STRING, .text = at->value->keys[i].name };

    if (!check_value (check, at->operand, &name, at->path))
      matches = complain (check, at->path, "property name must be valid");
  }
  return matches;
}

static bool check_min_properties (struct check *check, const struct place *at)
{
  return check_count (check, at, at->value->count, false, "properties");
}

static bool check_max_properties (struct check *check, const struct place *at)
{
  return check_count (check, at, at->value->count, true, "properties");
}

static bool check_dependent_required (struct check *check, const struct place *at)
{
  bool matches = true;

  if (at->operand->type != JSON_OBJECT)
    return refuse_schema (check, "'dependentRequired' is not an object");
  for (size_t i = 0; i < at->operand->count; i++)
    if (json_get (at->value, at->operand->keys[i].name) != NULL)
      matches = check_names (check, at, at->operand->items[i], at->operand->keys[i].name) && matches;
  return matches;
}

static bool check_dependent_schemas (struct check *check, const struct place *at)
{
  bool matches = true;

  if (at->operand->type != JSON_OBJECT)
    return refuse_schema (check, "'dependentSchemas' is not an object");
  for (size_t i = 0; i < at->operand->count; i++)
    if (json_get (at->value, at->operand->keys[i].name) != NULL)
      matches = check_value (check, at->operand->items[i], at->value, at->path) && matches;
  return matches;
}

/* ---- The table. */

enum operand { ANY, NUMBER, COUNT, SCHEMA, SCHEMAS };

#define EVERY (-1)

static const struct keyword {
  const char *name;
  int type; /* of the values that it is for */
  enum operand operand;
  bool (*check) (struct check *check, const struct place *at);
} keywords[] = {
  { "$schema", EVERY, ANY, check_draft },
  { "$ref", EVERY, ANY, check_ref },
  { "type", EVERY, ANY, check_type },
  { "enum", EVERY, ANY, check_enum },
  { "const", EVERY, ANY, check_const },
  { "minimum", JSON_NUMBER, NUMBER, check_minimum },
  { "maximum", JSON_NUMBER, NUMBER, check_maximum },
  { "exclusiveMinimum", JSON_NUMBER, NUMBER, check_above },
  { "exclusiveMaximum", JSON_NUMBER, NUMBER, check_below },
  { "multipleOf", JSON_NUMBER, NUMBER, check_multiple },
  { "minLength", JSON_STRING, COUNT, check_min_length },
  { "maxLength", JSON_STRING, COUNT, check_max_length },
  { "not", EVERY, SCHEMA, check_not },
  { "anyOf", EVERY, ANY, check_any_of },
  { "oneOf", EVERY, ANY, check_one_of },
  { "allOf", EVERY, ANY, check_all_of },
  { "if", EVERY, SCHEMA, check_if },
  { "minItems", JSON_ARRAY, COUNT, check_min_items },
  { "maxItems", JSON_ARRAY, COUNT, check_max_items },
  { "uniqueItems", JSON_ARRAY, ANY, check_unique },
  { "items", JSON_ARRAY, SCHEMAS, check_items },
  { "contains", JSON_ARRAY, SCHEMA, check_contains },
  { "minProperties", JSON_OBJECT, COUNT, check_min_properties },
  { "maxProperties", JSON_OBJECT, COUNT, check_max_properties },
  { "required", JSON_OBJECT, ANY, check_required },
  { "dependentRequired", JSON_OBJECT, ANY, check_dependent_required },
  { "dependentSchemas", JSON_OBJECT, ANY, check_dependent_schemas },
  { "propertyNames", JSON_OBJECT, SCHEMA, check_property_names },
  { "properties", JSON_OBJECT, ANY, check_properties },
  { "additionalProperties", JSON_OBJECT, SCHEMA, check_additional },
  { "pattern", EVERY, ANY, check_unsupported },
  { "patternProperties", EVERY, ANY, check_unsupported },
  { "dependencies", EVERY, ANY, check_unsupported },
  { "unevaluatedItems", EVERY, ANY, check_unsupported },
  { "unevaluatedProperties", EVERY, ANY, check_unsupported },
  { "$anchor", EVERY, ANY, check_unsupported },
  { "$recursiveAnchor", EVERY, ANY, check_unsupported },
  { "$recursiveRef", EVERY, ANY, check_unsupported },
};

static bool is_usable (const struct json_node *operand, enum operand kind)
{
  switch (kind) {
  case ANY: return true;
  case NUMBER: return operand->type == JSON_NUMBER;
  case COUNT: return is_whole (operand) && number_of (operand) >= 0;
  case SCHEMA: return is_schema (operand);
  case SCHEMAS: return is_schema (operand) || is_list_of_schemas (operand);
  }
  return false;
}

static bool check_object (struct check *check, const struct json_node *schema, const struct json_node *value,
                          const char *path)
{
  bool matches = true;

  for (size_t i = 0; i < ARRAY_LEN (keywords) && check->invalid[0] == '\0'; i++) {
    const struct keyword *keyword = &keywords[i];
    const struct place at = { schema, json_get (schema, keyword->name), value, path };

    if (at.operand == NULL)
      continue;
    if (!is_usable (at.operand, keyword->operand))
      return refuse_schema (check, "'%s' has a value that it cannot have", keyword->name);
    if (keyword->type == EVERY || (enum json_type) keyword->type == value->type)
      matches = keyword->check (check, &at) && matches;
  }
  return matches;
}

static bool check_value (struct check *check, const struct json_node *schema, const struct json_node *value,
                         const char *path)
{
  bool matches;

  if (check->invalid[0] != '\0' || check->problems->failed)
    return false;
  if (++check->steps > STEPS_MAX || check->depth >= DEPTH_MAX)
    return refuse_schema (
        check, "%s", check->depth >= DEPTH_MAX ? "it refers to itself too often" : "it takes too many steps");
  if (schema->type == JSON_BOOL)
    return schema->flag || complain (check, path, "boolean schema is false");
  if (schema->type != JSON_OBJECT)
    return refuse_schema (check, "schema must be object or boolean");
  check->depth++;
  matches = check_object (check, schema, value, path);
  check->depth--;
  return matches;
}

bool json_schema_matches (const struct json_node *schema, const struct json_node *value,
                          struct strbuf *problems)
{
  struct check check = { .root = schema, .problems = problems };
  size_t len = problems->len;
  bool matches = check_value (&check, schema, value, "");

  if (check.invalid[0] != '\0') {
    forget (&check, len);
    strbuf_addf (problems, "invalid output schema: %s", check.invalid);
  }
  return matches && check.invalid[0] == '\0' && !problems->failed;
}
