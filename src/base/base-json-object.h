/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a JSON tree into structs by tables: one row for each key that an object may have.
 *
 * A row has the key, the type of its value, the function that reads it, and the offset of the field. A key
 * without a row is an error that suggests the nearest one; a value of the wrong type is an error that names
 * both types. Every message has the document, line, column and path of the value: "host.json:3:14:
 * root[2].type: expected a string, found a number". Keys are optional: a field without a key keeps its value.
 *
 * Must never: accept a key or a type that is not in the table, or modify a field without a key.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"

/* The path of a value, from the document down; each element lives on the stack of
 * the function that descends. */
struct json_place {
  const struct json_place *parent; /* NULL for the document itself */
  const char *name;                /* the document's name, or a key; NULL for an item of an array */
  size_t index;                    /* of an item */
};

/* Reads NODE, which has the right type, into AT. */
typedef int json_reader (const struct json_place *place, const struct json_node *node, void *at,
                         struct error *err);

/* The head of a reader's definition; a reader need not use all of its parameters. */
#define JSON_READER(name)                                                                                    \
  int name (const struct json_place *place __attribute__ ((unused)),                                         \
            const struct json_node *node __attribute__ ((unused)), void *at __attribute__ ((unused)),        \
            struct error *err __attribute__ ((unused)))

struct json_field {
  const char *key;
  enum json_type type;
  json_reader *read;
  size_t offset; /* of the field in the struct */
};

/* Checks that NODE is an object and reads each key by its row; INTO is the struct. */
int json_read_object (const struct json_place *place, const struct json_node *node,
                      const struct json_field *fields, size_t count, void *into, struct error *err);

/* Checks that NODE is an array of at most MAX values of one type, and passes each of them
 * to READ with the same AT. */
int json_read_array (const struct json_place *place, const struct json_node *node, enum json_type type,
                     size_t max, json_reader *read, void *at, struct error *err);

/* Readers for rows. */
json_reader json_into_text; /* char *: a copy; the old value is freed */
json_reader json_into_bool; /* bool */
json_reader json_into_u32;  /* uint32_t */
json_reader json_into_u64;  /* uint64_t */
json_reader json_into_set;  /* struct strlist, as a set: an array of strings */

/* Sets an error with the position of NODE. Returns -EINVAL. */
int json_fail (const struct json_place *place, const struct json_node *node, struct error *err,
               const char *format, ...) __attribute__ ((format (printf, 4, 5)));
