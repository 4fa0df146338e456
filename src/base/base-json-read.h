/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses JSON from outside into a tree in which every node has its position.
 *
 * The only user of yajl. Takes text; returns a tree, or an error with line and column. The caller decides
 * whether comments are allowed. Rejected, each with its position: invalid UTF-8, a NUL or half a surrogate
 * pair inside a string, a repeated key, and anything past the caller's limits. Numbers keep their text, so
 * nothing is rounded; the reader of a key decides which numbers are valid.
 *
 * Must never: read files, recurse on input before the depth is checked, or return a string with a NUL inside.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-cleanup.h"
#include "base-error.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_node {
  enum json_type type;
  unsigned line, column; /* where the value starts, from 1; columns count bytes */
  bool flag;             /* JSON_BOOL */
  char *text;            /* JSON_STRING, and a JSON_NUMBER as written; points into OWN */

  /* JSON_ARRAY and JSON_OBJECT, in the order of the text. */
  size_t count;
  size_t capacity;
  struct json_node **items;
  struct json_key {
    char *name;
    unsigned line, column;
  } * keys; /* JSON_OBJECT only */

  char own[]; /* one allocation per scalar: a file has hundreds of them */
};

struct json_limits {
  size_t bytes;
  unsigned depth;
  size_t nodes;
  bool comments;
  size_t string; /* bytes of one string; 0: LIMIT_STRING_BYTES */
  /* As JSON.parse: objects and numbers of any length, and the last of repeated keys counts. */
  bool javascript;
};

/* NAME prefixes error messages: "NAME:LINE:COLUMN: ...". */
int json_read (const char *name, const char *text, size_t len, const struct json_limits *limits,
               struct json_node **ret_tree, struct error *err);

const struct json_node *json_get (const struct json_node *object, const char *key);

/* "a string", "an array", ...: for messages. */
const char *json_type_text (enum json_type type);

void json_free (struct json_node *tree);
DEFINE_CLEANUP (struct json_node, json_free)
#define cleanup_json cleanup (json_free_p)
