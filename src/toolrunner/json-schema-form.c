/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a schema can be used: every keyword of the draft has a value that it can have, in every subschema.
 *
 * This is checked before any value, as Ajv compiles a schema before it checks one: whether a schema is valid
 * must not depend on what a command prints. References are followed here for the same reason.
 */
#include <config.h>

#include "toolrunner-json-schema-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

#define DRAFT "https://json-schema.org/draft/2019-09/schema"

/* Deeper than any tree that is read. */
#define NESTING_MAX 100u

static const struct {
  const char *name;
  enum form form;
} forms[] = {
  { "$schema", FORM_DRAFT },
  { "$id", FORM_BASE },
  { "$ref", FORM_REFERENCE },
  { "$comment", FORM_TEXT },
  { "$defs", FORM_MEMBERS },
  { "definitions", FORM_MEMBERS },
  { "type", FORM_TYPES },
  { "nullable", FORM_FLAG },
  { "enum", FORM_ARRAY },
  { "minimum", FORM_NUMBER },
  { "maximum", FORM_NUMBER },
  { "exclusiveMinimum", FORM_NUMBER },
  { "exclusiveMaximum", FORM_NUMBER },
  { "multipleOf", FORM_POSITIVE },
  { "minLength", FORM_COUNT },
  { "maxLength", FORM_COUNT },
  { "not", FORM_SCHEMA },
  { "anyOf", FORM_LIST },
  { "oneOf", FORM_LIST },
  { "allOf", FORM_LIST },
  { "if", FORM_SCHEMA },
  { "then", FORM_SCHEMA },
  { "else", FORM_SCHEMA },
  { "minItems", FORM_COUNT },
  { "maxItems", FORM_COUNT },
  { "uniqueItems", FORM_FLAG },
  { "items", FORM_SCHEMAS },
  { "additionalItems", FORM_SCHEMA },
  { "contains", FORM_SCHEMA },
  { "minContains", FORM_COUNT },
  { "maxContains", FORM_COUNT },
  { "minProperties", FORM_COUNT },
  { "maxProperties", FORM_COUNT },
  { "required", FORM_NAMES },
  { "dependentRequired", FORM_NAME_LISTS },
  { "dependentSchemas", FORM_MEMBERS },
  { "propertyNames", FORM_SCHEMA },
  { "properties", FORM_MEMBERS },
  { "additionalProperties", FORM_SCHEMA },
  { "title", FORM_TEXT },
  { "description", FORM_TEXT },
  { "deprecated", FORM_FLAG },
  { "readOnly", FORM_FLAG },
  { "writeOnly", FORM_FLAG },
  { "examples", FORM_ARRAY },
  { "format", FORM_TEXT },
  { "contentMediaType", FORM_TEXT },
  { "contentEncoding", FORM_TEXT },
  { "contentSchema", FORM_SCHEMA },
  { "id", FORM_UNSUPPORTED },
  { "pattern", FORM_UNSUPPORTED },
  { "patternProperties", FORM_UNSUPPORTED },
  { "dependencies", FORM_UNSUPPORTED },
  { "unevaluatedItems", FORM_UNSUPPORTED },
  { "unevaluatedProperties", FORM_UNSUPPORTED },
  { "$anchor", FORM_UNSUPPORTED },
  { "$recursiveAnchor", FORM_UNSUPPORTED },
  { "$recursiveRef", FORM_UNSUPPORTED },
  { "$vocabulary", FORM_UNSUPPORTED },
};

int schema_keyword_form (const char *name)
{
  for (size_t i = 0; i < ARRAY_LEN (forms); i++)
    if (strcmp (forms[i].name, name) == 0)
      return (int) forms[i].form;
  return -1;
}

static bool form_schema (struct check *check, const struct json_node *schema, unsigned nesting);

/* ---- Operands. */

static bool is_type_name (const struct json_node *node)
{
  static const char *const names[] = { "null", "boolean", "number", "string", "array", "object", "integer" };

  for (size_t i = 0; node->type == JSON_STRING && i < ARRAY_LEN (names); i++)
    if (strcmp (node->text, names[i]) == 0)
      return true;
  return false;
}

static bool has_duplicates (struct check *check, const struct json_node *array)
{
  size_t low, high;

  return schema_find_duplicate (check, array, false, &low, &high);
}

static bool is_types (struct check *check, const struct json_node *operand)
{
  if (operand->type != JSON_ARRAY)
    return is_type_name (operand);
  for (size_t i = 0; i < operand->count; i++)
    if (!is_type_name (operand->items[i]))
      return false;
  return operand->count > 0 && !has_duplicates (check, operand);
}

static bool is_names (struct check *check, const struct json_node *operand)
{
  for (size_t i = 0; operand->type == JSON_ARRAY && i < operand->count; i++)
    if (operand->items[i]->type != JSON_STRING)
      return false;
  return operand->type == JSON_ARRAY && !has_duplicates (check, operand);
}

static bool is_name_lists (struct check *check, const struct json_node *operand)
{
  for (size_t i = 0; operand->type == JSON_OBJECT && i < operand->count; i++)
    if (!is_names (check, operand->items[i]))
      return false;
  return operand->type == JSON_OBJECT;
}

static bool is_draft (const struct json_node *operand)
{
  return operand->type == JSON_STRING
         && (strcmp (operand->text, DRAFT) == 0 || strcmp (operand->text, DRAFT "#") == 0);
}

static bool form_schemas (struct check *check, const struct json_node *container, unsigned nesting)
{
  for (size_t i = 0; i < container->count; i++)
    if (!form_schema (check, container->items[i], nesting + 1))
      return false;
  return true;
}

static const char *text_of (const struct json_node *operand)
{
  return operand->type == JSON_STRING ? operand->text : "";
}

/* Whether OPERAND has the form, but for what it has in it. */
static bool has_form (struct check *check, const struct json_node *operand, enum form form)
{
  switch (form) {
  case FORM_TEXT: return operand->type == JSON_STRING;
  case FORM_FLAG: return operand->type == JSON_BOOL;
  case FORM_NUMBER: return operand->type == JSON_NUMBER;
  case FORM_POSITIVE: return operand->type == JSON_NUMBER && schema_number (operand) > 0;
  case FORM_COUNT: return schema_is_whole (operand) && schema_number (operand) >= 0;
  case FORM_ARRAY: return operand->type == JSON_ARRAY;
  case FORM_TYPES: return is_types (check, operand);
  case FORM_NAMES: return is_names (check, operand);
  case FORM_NAME_LISTS: return is_name_lists (check, operand);
  case FORM_LIST: return operand->type == JSON_ARRAY && operand->count > 0;
  case FORM_SCHEMAS: return operand->type != JSON_ARRAY || operand->count > 0;
  case FORM_MEMBERS: return operand->type == JSON_OBJECT;
  case FORM_REFERENCE: return operand->type == JSON_STRING;
  case FORM_SCHEMA:
  case FORM_DRAFT:
  case FORM_BASE:
  case FORM_UNSUPPORTED: break;
  }
  return true;
}

static bool form_below (struct check *check, const struct json_node *operand, enum form form,
                        unsigned nesting)
{
  bool many =
      form == FORM_LIST || form == FORM_MEMBERS || (form == FORM_SCHEMAS && operand->type == JSON_ARRAY);

  if (many)
    return form_schemas (check, operand, nesting);
  if (form == FORM_SCHEMA || form == FORM_SCHEMAS)
    return form_schema (check, operand, nesting + 1);
  return form != FORM_REFERENCE || schema_follow (check, operand) != NULL;
}

static bool form_keyword (struct check *check, const struct json_node *schema, size_t index, unsigned nesting)
{
  const char *name = schema->keys[index].name;
  const struct json_node *operand = schema->items[index];
  int form = schema_keyword_form (name);

  if (form < 0)
    return true;
  if (form == FORM_UNSUPPORTED)
    return schema_refuse (check, "the keyword '%s' is not supported by tyrum-oci", name);
  if (form == FORM_DRAFT && !is_draft (operand))
    return schema_refuse (check, "no schema with key or ref \"%.80s\"", text_of (operand));
  /* It would change what the references below it mean. */
  if (form == FORM_BASE && (schema != check->root || operand->type != JSON_STRING))
    return schema_refuse (check, "'$id' is supported by tyrum-oci only at the root of a schema");
  if (!has_form (check, operand, (enum form) form))
    return schema_refuse (check, "'%s' has a value that it cannot have", name);
  return form_below (check, operand, (enum form) form, nesting);
}

/* As Ajv has it: 'nullable' is for a schema with a type, which it does not contradict. */
static bool form_nullable (struct check *check, const struct json_node *schema)
{
  const struct json_node *nullable = json_get (schema, "nullable"), *type = json_get (schema, "type");
  bool null = type != NULL && strcmp (text_of (type), "null") == 0;

  if (nullable == NULL)
    return true;
  for (size_t i = 0; type != NULL && i < type->count; i++)
    null = null || strcmp (text_of (type->items[i]), "null") == 0;
  return (type != NULL && (nullable->flag || !null))
         || schema_refuse (check, type ? "type: null contradicts nullable: false"
                                       : "\"nullable\" cannot be used without \"type\"");
}

static bool form_schema (struct check *check, const struct json_node *schema, unsigned nesting)
{
  if (!schema_charge (check, 1 + schema->count * 4))
    return false;
  if (nesting > NESTING_MAX)
    return schema_refuse (check, "it is nested too deep");
  if (schema->type == JSON_BOOL)
    return true;
  if (schema->type != JSON_OBJECT)
    return schema_refuse (check, "schema must be object or boolean");
  for (size_t i = 0; i < schema->count; i++)
    if (!form_keyword (check, schema, i, nesting))
      return false;
  return form_nullable (check, schema);
}

bool schema_check_form (struct check *check)
{
  return form_schema (check, check->root, 0) && check->invalid[0] == '\0';
}

/* ---- References. */

/* Where a pointer has come to: at a subschema, in a container of subschemas, or elsewhere. */
enum at { AT_SCHEMA, AT_CONTAINER, AT_ELSEWHERE };

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

static const struct json_node *item_at (const struct json_node *array, const char *part)
{
  size_t index = 0;

  if (part[0] == '\0' || (part[0] == '0' && part[1] != '\0') || strlen (part) > 9
      || part[strspn (part, "0123456789")] != '\0')
    return NULL;
  for (; *part != '\0'; part++)
    index = index * 10 + (size_t) (*part - '0');
  return index < array->count ? array->items[index] : NULL;
}

static const struct json_node *child (struct check *check, const struct json_node *node, const char *part)
{
  if (!schema_charge (check, node->count / 64 + 1))
    return NULL;
  if (node->type == JSON_OBJECT)
    return json_get (node, part);
  return node->type == JSON_ARRAY ? item_at (node, part) : NULL;
}

static enum at go_on (enum at at, const char *part, const struct json_node *next)
{
  int form = at == AT_SCHEMA ? schema_keyword_form (part) : -1;

  if (at == AT_CONTAINER)
    return AT_SCHEMA;
  if (form == FORM_SCHEMA || (form == FORM_SCHEMAS && next->type != JSON_ARRAY))
    return AT_SCHEMA;
  return form == FORM_SCHEMAS || form == FORM_LIST || form == FORM_MEMBERS ? AT_CONTAINER : AT_ELSEWHERE;
}

/* Of what lies elsewhere a base of its own would change the meaning, too. */
static bool has_base (struct check *check, const struct json_node *node)
{
  const struct json_node *base = node->type == JSON_OBJECT && schema_charge (check, node->count / 64 + 1)
                                     ? json_get (node, "$id")
                                     : NULL;

  return base != NULL && base->type == JSON_STRING;
}

static const struct json_node *walk (struct check *check, char *pointer, enum at *ret_at)
{
  const struct json_node *node = check->root;
  char *rest = pointer;

  *ret_at = AT_SCHEMA;
  for (char *part = strsep (&rest, "/"); node != NULL && (part = strsep (&rest, "/")) != NULL;) {
    unescape (part);
    node = child (check, node, part);
    if (node != NULL)
      *ret_at = go_on (*ret_at, part, node);
    if (node != NULL && *ret_at == AT_ELSEWHERE && has_base (check, node))
      return NULL;
  }
  return node;
}

/* What lies at no subschema has not been looked at by the walk over subschemas. */
static bool form_elsewhere (struct check *check, const struct json_node *schema)
{
  for (size_t i = 0; i < check->odd_count; i++)
    if (check->odd[i] == schema)
      return true;
  if (check->odd_count == ODD_TARGETS_MAX)
    return schema_refuse (check, "more than %d references lead outside of '$defs' and other subschemas",
                          ODD_TARGETS_MAX);
  check->odd[check->odd_count++] = schema;
  return form_schema (check, schema, 0);
}

const struct json_node *schema_follow (struct check *check, const struct json_node *reference)
{
  const char *text = reference->text;
  cleanup_free char *pointer = NULL;
  const struct json_node *schema = NULL;
  enum at at = AT_SCHEMA;

  if (!schema_charge (check, strlen (text) / 16 + 1))
    return NULL;
  /* Only pointers within the schema itself; and none with percent signs, which would have to be decoded. */
  if (text[0] == '#' && (text[1] == '\0' || text[1] == '/') && strchr (text, '%') == NULL) {
    pointer = strdup (text + 1);
    if (pointer == NULL) {
      check->problems->failed = true;
      return NULL;
    }
    schema = walk (check, pointer, &at);
  }
  if (schema == NULL) {
    schema_refuse (check, "can't resolve reference %.80s", text);
    return NULL;
  }
  return at == AT_SCHEMA || form_elsewhere (check, schema) ? schema : NULL;
}
