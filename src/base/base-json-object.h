/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a JSON tree into structs by tables: one row for each key that an object may have.
 *
 * A row says the key, the type that its value must have, who reads it, and where in the struct it goes.
 * A key without a row is an error with the nearest one as a suggestion; a value of the wrong type is an
 * error that names both. Every message has the document, line, column and the way to the value:
 * "host.json:3:14: root[2].type: expected a string, found a number". Keys are optional: what has no key
 * keeps the value that it had.
 *
 * Must never: accept a key or a type that the table doesn't have, or touch a field without a key.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"

/* The way to a value, from the document down; lives on the stack of whoever walks it. */
struct json_place {
  const struct json_place *parent; /* NULL for the document itself */
  const char *name;                /* the document's name, or a key; NULL for an item of an array */
  size_t index;                    /* of an item */
};

/* Reads NODE, which has the right type, into AT. */
typedef int json_reader (const struct json_place *place, const struct json_node *node, void *at,
                         struct error *err);

struct json_field {
  const char *key;
  enum json_type type;
  json_reader *read;
  size_t offset; /* of the field in the struct */
};

/* Checks that NODE is an object and reads each key as its row says; INTO is the struct. */
int json_read_object (const struct json_place *place, const struct json_node *node,
                      const struct json_field *fields, size_t count, void *into, struct error *err);

/* Checks that NODE is an array of at most MAX values of one type, and hands them to READ one by one, with
 * the same AT. */
int json_read_array (const struct json_place *place, const struct json_node *node, enum json_type type,
                     size_t max, json_reader *read, void *at, struct error *err);

/* Readers for rows. */
json_reader json_into_text; /* char *: a copy; what was there is freed */
json_reader json_into_bool; /* bool */
json_reader json_into_u32;  /* uint32_t */
json_reader json_into_u64;  /* uint64_t */
json_reader json_into_set;  /* struct strlist, as a set: an array of strings */

/* Says what is wrong with NODE, and where it stands. Returns -EINVAL. */
int json_fail (const struct json_place *place, const struct json_node *node, struct error *err,
               const char *format, ...) __attribute__ ((format (printf, 4, 5)));
