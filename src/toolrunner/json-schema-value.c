/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values: numbers as JavaScript has them, equality, and duplicates among many items.
 *
 * Duplicates are found by sorting digests of the items. A command that prints items with equal digests on
 * purpose has them compared one by one, which is charged like all other work.
 */
#include <config.h>

#include "toolrunner-json-schema-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"

double schema_number (const struct json_node *node)
{
  return strtod (node->text, NULL);
}

/* From 2^53 on a number has no fraction; nor has an infinite one, as Ajv sees it. */
bool schema_has_no_fraction (double value)
{
  const double large = 9007199254740992.0;

  return value >= large || value <= -large
         || !((double) (int64_t) value < value || (double) (int64_t) value > value);
}

bool schema_is_whole (const struct json_node *node)
{
  return node->type == JSON_NUMBER && schema_has_no_fraction (schema_number (node));
}

static uint64_t size_of (const struct json_node *node)
{
  return node->text != NULL ? strlen (node->text) / 64 : 0;
}

static bool numbers_equal (double a, double b)
{
  return !(a < b) && !(a > b);
}

/* Members in the same order, as they nearly always are, are found at once. */
static const struct json_node *find_member (struct check *check, const struct json_node *object,
                                            const char *name, size_t index)
{
  if (strcmp (object->keys[index].name, name) == 0)
    return object->items[index];
  return schema_charge (check, object->count / 64 + 1) ? json_get (object, name) : NULL;
}

bool schema_equal (struct check *check, const struct json_node *a, const struct json_node *b)
{
  if (a->type != b->type || a->count != b->count)
    return schema_charge (check, 1) && false;
  if (!schema_charge (check, 1 + size_of (a) + size_of (b)))
    return false;
  switch (a->type) {
  case JSON_NULL: return true;
  case JSON_BOOL: return a->flag == b->flag;
  case JSON_STRING: return strcmp (a->text, b->text) == 0;
  case JSON_NUMBER: return numbers_equal (schema_number (a), schema_number (b));
  case JSON_ARRAY:
    for (size_t i = 0; i < a->count; i++)
      if (!schema_equal (check, a->items[i], b->items[i]))
        return false;
    return true;
  case JSON_OBJECT:
    for (size_t i = 0; i < a->count; i++) {
      const struct json_node *other = find_member (check, b, a->keys[i].name, i);

      if (other == NULL || !schema_equal (check, a->items[i], other))
        return false;
    }
    return true;
  }
  return false;
}

/* ---- Duplicates. */

#define HASH_START 0xcbf29ce484222325u
#define HASH_PRIME 0x100000001b3u

static uint64_t hash_bytes (uint64_t hash, const void *bytes, size_t len)
{
  const unsigned char *at = bytes;

  for (size_t i = 0; i < len; i++)
    hash = (hash ^ at[i]) * HASH_PRIME;
  return hash;
}

/* Equal values have equal digests, whatever the order of their members and the spelling of their numbers. */
static uint64_t hash_value (struct check *check, const struct json_node *node)
{
  uint64_t hash = hash_bytes (HASH_START, &node->type, sizeof (node->type)), sum = 0;

  /* One byte takes about a nanosecond here. */
  if (!schema_charge (check, 1 + 4 * size_of (node)))
    return 0;
  if (node->type == JSON_STRING)
    return hash_bytes (hash, node->text, strlen (node->text));
  if (node->type == JSON_NUMBER) {
    double number = schema_number (node) + 0.0; /* of both zeros one */

    return hash_bytes (hash, &number, sizeof (number));
  }
  for (size_t i = 0; i < node->count; i++) {
    uint64_t item = hash_value (check, node->items[i]);

    if (node->type == JSON_ARRAY)
      hash = hash_bytes (hash, &item, sizeof (item));
    else if (schema_charge (check, strlen (node->keys[i].name) / 16))
      sum += hash_bytes (item, node->keys[i].name, strlen (node->keys[i].name));
  }
  return hash_bytes (hash, &sum, sizeof (sum)) + node->flag;
}

struct digest {
  uint64_t hash;
  size_t index;
};

static int compare_digests (const void *one, const void *other)
{
  const struct digest *a = one, *b = other;

  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

bool schema_find_duplicate (struct check *check, const struct json_node *array, bool by_low, size_t *ret_low,
                            size_t *ret_high)
{
  cleanup_free struct digest *digests = calloc (array->count + 1, sizeof (*digests));
  bool found = false;

  if (digests == NULL) {
    check->problems->failed = true;
    return false;
  }
  for (size_t i = 0; i < array->count; i++)
    digests[i] = (struct digest){ hash_value (check, array->items[i]), i };
  if (!schema_charge (check, array->count * 4))
    return false;
  qsort (digests, array->count, sizeof (*digests), compare_digests);
  for (size_t i = 1; i < array->count; i++)
    for (size_t k = i; k-- > 0 && digests[k].hash == digests[i].hash;) {
      size_t low = digests[k].index, high = digests[i].index;

      if (!schema_equal (check, array->items[low], array->items[high])) {
        if (check->invalid[0] != '\0')
          return false;
        continue;
      }
      if (!found || (by_low ? low > *ret_low : high > *ret_high)) {
        *ret_low = low;
        *ret_high = high;
      }
      found = true;
      break;
    }
  return found;
}
