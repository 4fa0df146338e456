/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-json-object.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-number.h"
#include "base-str.h"

static const char *document_name (const struct json_place *place)
{
  while (place->parent != NULL)
    place = place->parent;
  return place->name;
}

/* "root[2].type"; nothing for the document itself. The recursion is as deep as our own tables. */
static void add_way (struct strbuf *buf, const struct json_place *place)
{
  if (place->parent == NULL)
    return;
  add_way (buf, place->parent);
  if (place->name == NULL)
    strbuf_addf (buf, "[%zu]", place->index);
  else
    strbuf_addf (buf, "%s%s", buf->len > 0 ? "." : "", place->name);
}

static int fail_at (const struct json_place *place, unsigned line, unsigned column, struct error *err,
                    const char *what)
{
  cleanup_strbuf struct strbuf way = { 0 };

  add_way (&way, place);
  if (way.failed)
    return error_oom (err);
  return error_set (err, -EINVAL, "%s:%u:%u: %s%s%s", document_name (place), line, column,
                    way.len > 0 ? way.text : "", way.len > 0 ? ": " : "", what);
}

int json_fail (const struct json_place *place, const struct json_node *node, struct error *err,
               const char *format, ...)
{
  cleanup_free char *what = NULL;
  va_list ap;

  va_start (ap, format);
  if (vasprintf (&what, format, ap) < 0)
    what = NULL;
  va_end (ap);
  if (what == NULL)
    return error_oom (err);
  return fail_at (place, node->line, node->column, err, what);
}

static int expect (const struct json_place *place, const struct json_node *node, enum json_type type,
                   struct error *err)
{
  if (node->type == type)
    return 0;
  return json_fail (place, node, err, "expected %s, found %s", json_type_text (type),
                    json_type_text (node->type));
}

static int fail_unknown (const struct json_place *place, const struct json_key *key,
                         const struct json_field *fields, size_t count, struct error *err)
{
  cleanup_free const char **names = calloc (count > 0 ? count : 1, sizeof (*names));
  cleanup_free char *what = NULL;
  const char *near;

  if (names == NULL)
    return error_oom (err);
  for (size_t i = 0; i < count; i++)
    names[i] = fields[i].key;
  near = str_nearest (key->name, names, count);
  what = near ? str_format ("unknown key '%s', did you mean '%s'?", key->name, near)
              : str_format ("unknown key '%s'", key->name);
  return what ? fail_at (place, key->line, key->column, err, what) : error_oom (err);
}

static const struct json_field *find_field (const struct json_field *fields, size_t count, const char *key)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp (fields[i].key, key) == 0)
      return &fields[i];
  return NULL;
}

int json_read_object (const struct json_place *place, const struct json_node *node,
                      const struct json_field *fields, size_t count, void *into, struct error *err)
{
  int r = expect (place, node, JSON_OBJECT, err);

  if (r < 0)
    return r;
  for (size_t i = 0; i < node->count; i++) {
    const struct json_field *field = find_field (fields, count, node->keys[i].name);
    struct json_place below = { .parent = place, .name = node->keys[i].name };

    if (field == NULL)
      return fail_unknown (place, &node->keys[i], fields, count, err);
    r = expect (&below, node->items[i], field->type, err);
    if (r == 0)
      r = field->read (&below, node->items[i], (char *) into + field->offset, err);
    if (r < 0)
      return r;
  }
  return 0;
}

int json_read_array (const struct json_place *place, const struct json_node *node, enum json_type type,
                     size_t max, json_reader *read, void *at, struct error *err)
{
  int r = expect (place, node, JSON_ARRAY, err);

  if (r < 0)
    return r;
  if (node->count > max)
    return json_fail (place, node, err, "more than %zu entries", max);
  for (size_t i = 0; i < node->count; i++) {
    struct json_place below = { .parent = place, .index = i };

    r = expect (&below, node->items[i], type, err);
    if (r == 0)
      r = read (&below, node->items[i], at, err);
    if (r < 0)
      return r;
  }
  return 0;
}

JSON_READER (json_into_text)
{
  char **text = at;
  char *copy = strdup (node->text);

  if (copy == NULL)
    return error_oom (err);
  free (*text);
  *text = copy;
  return 0;
}

JSON_READER (json_into_bool)
{
  *(bool *) at = node->flag;
  return 0;
}

static int read_number (const struct json_place *place, const struct json_node *node, uint64_t max,
                        uint64_t *ret_value, struct error *err)
{
  if (number_parse (node->text, max, ret_value))
    return 0;
  return json_fail (place, node, err, "'%s' is not a whole number from 0 to %" PRIu64, node->text, max);
}

JSON_READER (json_into_u32)
{
  uint64_t value;
  int r = read_number (place, node, UINT32_MAX, &value, err);

  if (r == 0)
    *(uint32_t *) at = (uint32_t) value;
  return r;
}

JSON_READER (json_into_u64)
{
  return read_number (place, node, UINT64_MAX, at, err);
}

static JSON_READER (add_to_set)
{
  return strset_add (at, node->text) < 0 ? error_oom (err) : 0;
}

JSON_READER (json_into_set)
{
  return json_read_array (place, node, JSON_STRING, LIMIT_OBJECT_MEMBERS, add_to_set, at, err);
}
