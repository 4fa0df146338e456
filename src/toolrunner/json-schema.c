/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-json-schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "toolrunner-json-schema-internal.h"

/* A reference can lead back to where it stands, and a schema and an output can ask for far more work than
 * they have bytes. WORK_MAX is half a second or so; the largest output with a schema that checks every value
 * takes a tenth of it. */
#define DEPTH_MAX    200u
#define WORK_MAX     10000000u
#define PROBLEMS_MAX 2000u

/* What a complaint costs, and the bytes of a path in it. */
#define COMPLAINT_WORK 8u
#define PATH_SHOWN     200u

/* Where a value is: the name of a member or the index of an item, beneath ABOVE. The root has none. */
struct path {
  const struct path *above;
  const char *name; /* NULL: an item */
  size_t index;
};

/* One keyword at one place: SCHEMA has it with OPERAND, and VALUE is at PATH. */
struct place {
  const struct json_node *schema, *operand, *value;
  const struct path *path;
};

static bool check_value (struct check *check, const struct json_node *schema, const struct json_node *value,
                         const struct path *path);

/* ---- What is wrong. */

bool schema_refuse (struct check *check, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (check->invalid[0] == '\0')
    vsnprintf (check->invalid, sizeof (check->invalid), format, args);
  va_end (args);
  return false;
}

bool schema_charge (struct check *check, uint64_t work)
{
  if (check->invalid[0] != '\0' || check->problems->failed)
    return false;
  if (work > WORK_MAX - check->work)
    return schema_refuse (check, "it takes too many steps");
  check->work += work;
  return true;
}

static void add_byte (char *out, size_t *len, char byte)
{
  if (*len < PATH_SHOWN)
    out[(*len)++] = byte;
}

/* The start of a path, as JSON pointers have it: '/' and '~' in names are escaped. */
static void write_path (const struct path *path, char *out, size_t *len)
{
  char digits[24];
  const char *name = path->name;

  if (path->above != NULL && path->above->above != NULL)
    write_path (path->above, out, len);
  snprintf (digits, sizeof (digits), "%zu", path->index);
  add_byte (out, len, '/');
  for (name = name ? name : digits; *name != '\0' && *len < PATH_SHOWN; name++) {
    static const char tilde[] = "~0", slash[] = "~1";
    const char *escaped = *name == '~' ? tilde : *name == '/' ? slash : NULL;

    if (escaped == NULL) {
      add_byte (out, len, *name);
      continue;
    }
    add_byte (out, len, escaped[0]);
    add_byte (out, len, escaped[1]);
  }
}

static bool __attribute__ ((format (printf, 3, 4)))
complain (struct check *check, const struct path *path, const char *format, ...)
{
  char text[240], where[PATH_SHOWN];
  size_t len = 0;
  va_list args;

  if (check->silent > 0 || check->problems->len >= PROBLEMS_MAX || !schema_charge (check, COMPLAINT_WORK))
    return false;
  va_start (args, format);
  vsnprintf (text, sizeof (text), format, args);
  va_end (args);
  if (path->above != NULL)
    write_path (path, where, &len);
  strbuf_addf (check->problems, "%sdata%.*s %s", check->problems->len > 0 ? "; " : "", (int) len, where,
               text);
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
                              const struct json_node *value, const struct path *path)
{
  bool matches;

  check->silent++;
  matches = check_value (check, schema, value, path);
  check->silent--;
  return matches;
}

/* ---- Values. */

static size_t characters (const char *text)
{
  size_t count = 0;

  for (; *text != '\0'; text++)
    count += ((unsigned char) *text & 0xc0) != 0x80;
  return count;
}

static bool check_member (struct check *check, const struct json_node *schema, const struct json_node *value,
                          const struct path *path, const char *name)
{
  const struct path below = { path, name, 0 };

  return check_value (check, schema, value, &below);
}

static bool check_item (struct check *check, const struct json_node *schema, const struct json_node *array,
                        size_t index, const struct path *path)
{
  const struct path below = { path, NULL, index };

  return check_value (check, schema, array->items[index], &below);
}

/* To look for COUNT names in OBJECT. */
static bool charge_search (struct check *check, size_t count, const struct json_node *object)
{
  return schema_charge (check, (uint64_t) count * (object->count / 32 + 1));
}

/* ---- Keywords for every type of value. */

static bool is_of_type (const struct json_node *value, const char *name)
{
  static const char *const names[] = {
    [JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
    [JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object"
  };

  return strcmp (name, names[value->type]) == 0 || (strcmp (name, "integer") == 0 && schema_is_whole (value));
}

static bool check_type (struct check *check, const struct place *at)
{
  const struct json_node *nullable = json_get (at->schema, "nullable");
  bool one = at->operand->type != JSON_ARRAY;
  size_t count = one ? 1 : at->operand->count;
  cleanup_strbuf struct strbuf names = { 0 };

  if (nullable != NULL && nullable->flag && at->value->type == JSON_NULL)
    return true;
  for (size_t i = 0; i < count; i++)
    if (is_of_type (at->value, one ? at->operand->text : at->operand->items[i]->text))
      return true;
  for (size_t i = 0; i < count; i++)
    strbuf_addf (&names, "%s%s", i > 0 ? "," : "", one ? at->operand->text : at->operand->items[i]->text);
  if (names.failed)
    check->problems->failed = true;
  return complain (check, at->path, "must be %s", names.failed ? "" : names.text);
}

static bool check_enum (struct check *check, const struct place *at)
{
  for (size_t i = 0; i < at->operand->count && check->invalid[0] == '\0'; i++)
    if (schema_equal (check, at->operand->items[i], at->value))
      return true;
  return complain (check, at->path, "must be equal to one of the allowed values");
}

static bool check_const (struct check *check, const struct place *at)
{
  return schema_equal (check, at->operand, at->value)
         || complain (check, at->path, "must be equal to constant");
}

static bool check_all_of (struct check *check, const struct place *at)
{
  bool matches = true;

  for (size_t i = 0; i < at->operand->count && check->invalid[0] == '\0'; i++)
    matches = check_value (check, at->operand->items[i], at->value, at->path) && matches;
  return matches;
}

/* How many of OPERAND's schemas match. What was wrong with the others stays only where none did. */
static size_t count_matches (struct check *check, const struct place *at)
{
  size_t len = check->problems->len, count = 0;

  for (size_t i = 0; i < at->operand->count && check->invalid[0] == '\0'; i++)
    count += check_value (check, at->operand->items[i], at->value, at->path);
  if (count > 0)
    forget (check, len);
  return count;
}

static bool check_any_of (struct check *check, const struct place *at)
{
  return count_matches (check, at) > 0 || complain (check, at->path, "must match a schema in anyOf");
}

static bool check_one_of (struct check *check, const struct place *at)
{
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

static bool check_ref (struct check *check, const struct place *at)
{
  const struct json_node *schema = schema_follow (check, at->operand);

  return schema != NULL && check_value (check, schema, at->value, at->path);
}

/* ---- Numbers and strings. */

static bool check_minimum (struct check *check, const struct place *at)
{
  return schema_number (at->value) >= schema_number (at->operand)
         || complain (check, at->path, "must be >= %s", at->operand->text);
}

static bool check_maximum (struct check *check, const struct place *at)
{
  return schema_number (at->value) <= schema_number (at->operand)
         || complain (check, at->path, "must be <= %s", at->operand->text);
}

static bool check_above (struct check *check, const struct place *at)
{
  return schema_number (at->value) > schema_number (at->operand)
         || complain (check, at->path, "must be > %s", at->operand->text);
}

static bool check_below (struct check *check, const struct place *at)
{
  return schema_number (at->value) < schema_number (at->operand)
         || complain (check, at->path, "must be < %s", at->operand->text);
}

/* As Ajv has it: from 1e21 on JavaScript writes a number with an exponent, and nothing is a multiple. */
static bool check_multiple (struct check *check, const struct place *at)
{
  double times = schema_number (at->value) / schema_number (at->operand);

  return (fabs (times) < 1e21 && schema_has_no_fraction (times))
         || complain (check, at->path, "must be multiple of %s", at->operand->text);
}

static bool check_count (struct check *check, const struct place *at, size_t count, bool most,
                         const char *things)
{
  double bound = schema_number (at->operand);

  if (most ? (double) count <= bound : (double) count >= bound)
    return true;
  return complain (check, at->path, "must NOT have %s than %s %s", most ? "more" : "fewer", at->operand->text,
                   things);
}

static bool check_min_length (struct check *check, const struct place *at)
{
  return schema_charge (check, strlen (at->value->text) / 64)
         && check_count (check, at, characters (at->value->text), false, "characters");
}

static bool check_max_length (struct check *check, const struct place *at)
{
  return schema_charge (check, strlen (at->value->text) / 64)
         && check_count (check, at, characters (at->value->text), true, "characters");
}

/* ---- Arrays. */

/* Items from FIRST on, up to END. */
static bool check_range (struct check *check, const struct json_node *schema, const struct place *at,
                         size_t first, size_t end)
{
  bool matches = true;

  for (size_t i = first; i < end && check->invalid[0] == '\0'; i++)
    matches = check_item (check, schema, at->value, i, at->path) && matches;
  return matches;
}

static bool check_items (struct check *check, const struct place *at)
{
  bool matches = true;

  if (at->operand->type != JSON_ARRAY)
    return check_range (check, at->operand, at, 0, at->value->count);
  for (size_t i = 0; i < at->operand->count && i < at->value->count; i++)
    matches = check_range (check, at->operand->items[i], at, i, i + 1) && matches;
  return matches;
}

/* What is beyond a list in 'items'. */
static bool check_more_items (struct check *check, const struct place *at)
{
  const struct json_node *items = json_get (at->schema, "items");

  if (items == NULL || items->type != JSON_ARRAY)
    return true;
  return check_range (check, at->operand, at, items->count, at->value->count);
}

static bool check_min_items (struct check *check, const struct place *at)
{
  return check_count (check, at, at->value->count, false, "items");
}

static bool check_max_items (struct check *check, const struct place *at)
{
  return check_count (check, at, at->value->count, true, "items");
}

/* Ajv looks for duplicates another way, and names another pair, where 'items' allows neither arrays nor
 * objects. */
static bool has_plain_items (const struct json_node *schema)
{
  const struct json_node *items = json_get (schema, "items");
  const struct json_node *type = items && items->type == JSON_OBJECT ? json_get (items, "type") : NULL;
  size_t count = type == NULL ? 0 : type->type == JSON_ARRAY ? type->count : 1;

  for (size_t i = 0; i < count; i++) {
    const char *name = type->type == JSON_ARRAY ? type->items[i]->text : type->text;

    if (strcmp (name, "object") == 0 || strcmp (name, "array") == 0)
      return false;
  }
  return count > 0;
}

static bool check_unique (struct check *check, const struct place *at)
{
  bool plain = has_plain_items (at->schema);
  size_t low, high;

  if (!at->operand->flag || !schema_find_duplicate (check, at->value, plain, &low, &high))
    return check->invalid[0] == '\0';
  return complain (check, at->path, "must NOT have duplicate items (items ## %zu and %zu are identical)",
                   plain ? high : low, plain ? low : high);
}

static bool check_contains (struct check *check, const struct place *at)
{
  const struct json_node *least = json_get (at->schema, "minContains");
  const struct json_node *most = json_get (at->schema, "maxContains");
  double min = least ? schema_number (least) : 1, count = 0;
  size_t len = check->problems->len;

  /* What is wrong with the items stays only where too few of them match, or too many. */
  for (size_t i = 0; i < at->value->count && check->invalid[0] == '\0'; i++) {
    count += check_item (check, at->operand, at->value, i, at->path);
    if (most != NULL ? count > schema_number (most) : count >= min)
      break;
  }
  if (count >= min && (most == NULL || count <= schema_number (most))) {
    forget (check, len);
    return true;
  }
  return complain (check, at->path, "must contain at least %s%s%s valid item(s)", least ? least->text : "1",
                   most ? " and no more than " : "", most ? most->text : "");
}

/* ---- Objects. */

static bool check_properties (struct check *check, const struct place *at)
{
  bool matches = true;

  if (!charge_search (check, at->operand->count, at->value))
    return false;
  for (size_t i = 0; i < at->operand->count && check->invalid[0] == '\0'; i++) {
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

  if (!charge_search (check, list->count, at->value))
    return false;
  for (size_t i = 0; i < list->count && check->invalid[0] == '\0'; i++) {
    const char *name = list->items[i]->text;

    if (json_get (at->value, name) != NULL)
      continue;
    matches = of == NULL ? complain (check, at->path, "must have required property '%.80s'", name)
                         : complain (check, at->path,
                                     "must have property %.80s when property %.80s is present", name, of);
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

  if (named != NULL && !charge_search (check, at->value->count, named))
    return false;
  for (size_t i = 0; i < at->value->count && check->invalid[0] == '\0'; i++) {
    const char *name = at->value->keys[i].name;

    if (named != NULL && json_get (named, name) != NULL)
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

  for (size_t i = 0; i < at->value->count && check->invalid[0] == '\0'; i++) {
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

  if (!charge_search (check, at->operand->count, at->value))
    return false;
  for (size_t i = 0; i < at->operand->count && check->invalid[0] == '\0'; i++)
    if (json_get (at->value, at->operand->keys[i].name) != NULL)
      matches = check_names (check, at, at->operand->items[i], at->operand->keys[i].name) && matches;
  return matches;
}

static bool check_dependent_schemas (struct check *check, const struct place *at)
{
  bool matches = true;

  if (!charge_search (check, at->operand->count, at->value))
    return false;
  for (size_t i = 0; i < at->operand->count && check->invalid[0] == '\0'; i++)
    if (json_get (at->value, at->operand->keys[i].name) != NULL)
      matches = check_value (check, at->operand->items[i], at->value, at->path) && matches;
  return matches;
}

/* ---- The table. */

#define EVERY (-1)

/* In the order in which Ajv complains. Every name is also in the table of forms, which makes sure of the
 * operands before. */
static const struct keyword {
  const char *name;
  int type; /* of the values that it is for */
  bool (*check) (struct check *check, const struct place *at);
} keywords[] = {
  { "$ref", EVERY, check_ref },
  { "type", EVERY, check_type },
  { "const", EVERY, check_const },
  { "enum", EVERY, check_enum },
  { "not", EVERY, check_not },
  { "anyOf", EVERY, check_any_of },
  { "oneOf", EVERY, check_one_of },
  { "allOf", EVERY, check_all_of },
  { "if", EVERY, check_if },
  { "maximum", JSON_NUMBER, check_maximum },
  { "minimum", JSON_NUMBER, check_minimum },
  { "exclusiveMaximum", JSON_NUMBER, check_below },
  { "exclusiveMinimum", JSON_NUMBER, check_above },
  { "multipleOf", JSON_NUMBER, check_multiple },
  { "maxLength", JSON_STRING, check_max_length },
  { "minLength", JSON_STRING, check_min_length },
  { "maxItems", JSON_ARRAY, check_max_items },
  { "minItems", JSON_ARRAY, check_min_items },
  { "uniqueItems", JSON_ARRAY, check_unique },
  { "additionalItems", JSON_ARRAY, check_more_items },
  { "items", JSON_ARRAY, check_items },
  { "contains", JSON_ARRAY, check_contains },
  { "maxProperties", JSON_OBJECT, check_max_properties },
  { "minProperties", JSON_OBJECT, check_min_properties },
  { "required", JSON_OBJECT, check_required },
  { "propertyNames", JSON_OBJECT, check_property_names },
  { "additionalProperties", JSON_OBJECT, check_additional },
  { "properties", JSON_OBJECT, check_properties },
  { "dependentRequired", JSON_OBJECT, check_dependent_required },
  { "dependentSchemas", JSON_OBJECT, check_dependent_schemas },
};

static bool is_for (const struct keyword *keyword, const struct json_node *value)
{
  return keyword->type == EVERY || (enum json_type) keyword->type == value->type;
}

static size_t find_keyword (const char *name)
{
  size_t i = 0;

  while (i < ARRAY_LEN (keywords) && (keywords[i].name[0] != name[0] || strcmp (keywords[i].name, name) != 0))
    i++;
  return i;
}

static bool check_object (struct check *check, const struct json_node *schema, const struct json_node *value,
                          const struct path *path)
{
  const struct json_node *operands[ARRAY_LEN (keywords) + 1] = { NULL };
  bool matches = true;

  for (size_t i = 0; i < schema->count; i++)
    operands[find_keyword (schema->keys[i].name)] = schema->items[i];
  for (size_t i = 0; i < ARRAY_LEN (keywords) && check->invalid[0] == '\0'; i++) {
    const struct place at = { schema, operands[i], value, path };

    if (operands[i] != NULL && is_for (&keywords[i], value))
      matches = keywords[i].check (check, &at) && matches;
  }
  return matches;
}

static bool check_value (struct check *check, const struct json_node *schema, const struct json_node *value,
                         const struct path *path)
{
  bool matches;

  /* A number is converted for every keyword. */
  if (!schema_charge (check,
                      1 + schema->count / 2 + (value->type == JSON_NUMBER ? strlen (value->text) / 16 : 0)))
    return false;
  if (schema->type == JSON_BOOL)
    return schema->flag || complain (check, path, "boolean schema is false");
  if (check->depth >= DEPTH_MAX)
    return schema_refuse (check, "it refers to itself too often");
  check->depth++;
  matches = check_object (check, schema, value, path);
  check->depth--;
  return matches;
}

bool json_schema_matches (const struct json_node *schema, const struct json_node *value,
                          struct strbuf *problems)
{
  static const struct path root = { NULL, NULL, 0 };
  struct check check = { .root = schema, .problems = problems };
  size_t len = problems->len;
  bool matches = schema_check_form (&check) && check_value (&check, schema, value, &root);

  if (check.invalid[0] != '\0') {
    forget (&check, len);
    strbuf_addf (problems, "invalid output schema: %s", check.invalid);
  }
  return matches && check.invalid[0] == '\0' && !problems->failed;
}
