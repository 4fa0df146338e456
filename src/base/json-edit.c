/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-json-edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json_node *json_new (enum json_type type)
{
  struct json_node *node = calloc (1, sizeof (*node));

  if (node != NULL)
    node->type = type;
  return node;
}

struct json_node *json_new_bool (bool flag)
{
  struct json_node *node = json_new (JSON_BOOL);

  if (node != NULL)
    node->flag = flag;
  return node;
}

struct json_node *json_new_bytes (enum json_type type, const void *bytes, size_t len)
{
  struct json_node *node = calloc (1, sizeof (*node) + len + 1);

  if (node == NULL)
    return NULL;
  node->type = type;
  node->text = memcpy (node->own, bytes, len);
  return node;
}

struct json_node *json_new_text (enum json_type type, const char *text)
{
  return json_new_bytes (type, text, strlen (text));
}

struct json_node *json_new_number (int64_t number)
{
  char digits[24];

  snprintf (digits, sizeof (digits), "%" PRId64, number);
  return json_new_text (JSON_NUMBER, digits);
}

static int reserve (struct json_node *parent)
{
  size_t capacity = parent->capacity ? parent->capacity * 2 : 8;
  void *grown;

  if (parent->count < parent->capacity)
    return 0;
  grown = realloc (parent->items, capacity * sizeof (*parent->items));
  if (grown == NULL)
    return -ENOMEM;
  parent->items = grown;
  if (parent->type == JSON_OBJECT) {
    grown = realloc (parent->keys, capacity * sizeof (*parent->keys));
    if (grown == NULL)
      return -ENOMEM;
    parent->keys = grown;
  }
  parent->capacity = capacity;
  return 0;
}

int json_add (struct json_node *parent, size_t index, struct json_key key, struct json_node *value)
{
  size_t moved = parent->count - index;

  if (value == NULL || reserve (parent) < 0) {
    json_free (value);
    return -ENOMEM;
  }
  memmove (parent->items + index + 1, parent->items + index, moved * sizeof (*parent->items));
  parent->items[index] = value;
  if (parent->type == JSON_OBJECT) {
    memmove (parent->keys + index + 1, parent->keys + index, moved * sizeof (*parent->keys));
    parent->keys[index] = key;
  }
  parent->count++;
  return 0;
}

/* The recursion is bounded by the depth limit of the reader. */
struct json_node *json_clone (const struct json_node *tree)
{
  cleanup_json struct json_node *copy =
      tree->text != NULL ? json_new_text (tree->type, tree->text) : json_new (tree->type);

  if (copy == NULL)
    return NULL;
  copy->line = tree->line;
  copy->column = tree->column;
  copy->flag = tree->flag;
  for (size_t i = 0; i < tree->count; i++) {
    struct json_node *item = json_clone (tree->items[i]);
    int r = tree->type == JSON_OBJECT ? json_set (copy, tree->keys[i].name, item) : json_append (copy, item);

    if (r < 0)
      return NULL;
  }
  return take_ptr (copy);
}

static bool find (const struct json_node *object, const char *key, size_t *ret_index)
{
  if (object == NULL || object->type != JSON_OBJECT)
    return false;
  for (size_t i = 0; i < object->count; i++)
    if (strcmp (object->keys[i].name, key) == 0) {
      *ret_index = i;
      return true;
    }
  return false;
}

const struct json_node *json_get (const struct json_node *object, const char *key)
{
  size_t index;

  return find (object, key, &index) ? object->items[index] : NULL;
}

struct json_node *json_edit (struct json_node *object, const char *key)
{
  size_t index;

  return find (object, key, &index) ? object->items[index] : NULL;
}

int json_set (struct json_node *object, const char *key, struct json_node *value)
{
  cleanup_free char *name = NULL;
  size_t index;

  if (value != NULL && find (object, key, &index)) {
    json_free (object->items[index]);
    object->items[index] = value;
    return 0;
  }
  name = strdup (key);
  if (name == NULL) {
    json_free (value);
    return -ENOMEM;
  }
  if (json_add (object, object->count, (struct json_key){ .name = name }, value) < 0)
    return -ENOMEM;
  name = NULL;
  return 0;
}

int json_insert (struct json_node *array, size_t index, struct json_node *value)
{
  return json_add (array, index, (struct json_key){ 0 }, value);
}

int json_append (struct json_node *array, struct json_node *value)
{
  return json_insert (array, array->count, value);
}

void json_remove_at (struct json_node *container, size_t index)
{
  size_t moved = container->count - index - 1;

  json_free (container->items[index]);
  memmove (container->items + index, container->items + index + 1, moved * sizeof (*container->items));
  if (container->type == JSON_OBJECT) {
    free (container->keys[index].name);
    memmove (container->keys + index, container->keys + index + 1, moved * sizeof (*container->keys));
  }
  container->count--;
}

void json_remove (struct json_node *object, const char *key)
{
  size_t index;

  if (find (object, key, &index))
    json_remove_at (object, index);
}
