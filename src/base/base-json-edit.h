/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes a JSON tree in place, so that it can be written again without loss.
 *
 * Everything else is preserved: unknown keys, the order of keys, the digits of numbers. A key that is set
 * again keeps its position, a new one goes to the end. Functions that take ownership of a node do so on
 * failure too, and accept NULL for a node whose allocation failed, so that calls nest:
 *
 *   r = json_set (object, "type", json_new_text (JSON_STRING, "user"));
 *
 * They return 0, or -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-json-read.h"

/* NULL when memory ran out. */
struct json_node *json_new (enum json_type type);
struct json_node *json_new_bool (bool flag);
struct json_node *json_new_text (enum json_type type, const char *text); /* a string, or a number's digits */
struct json_node *json_new_bytes (enum json_type type, const void *bytes, size_t len); /* the same */
struct json_node *json_new_number (int64_t number);
struct json_node *json_clone (const struct json_node *tree);

/* The value under KEY for modification, or NULL. */
struct json_node *json_edit (struct json_node *object, const char *key);

int json_set (struct json_node *object, const char *key, struct json_node *value);
int json_append (struct json_node *array, struct json_node *value);
int json_insert (struct json_node *array, size_t index, struct json_node *value);

/* For all containers; does not look for duplicate keys. Takes ownership of KEY's
 * name only when it returns 0. */
int json_add (struct json_node *parent, size_t index, struct json_key key, struct json_node *value);

/* A missing key is no error. */
void json_remove (struct json_node *object, const char *key);
void json_remove_at (struct json_node *container, size_t index);
