/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the schema check share: json-schema.c has the keywords and checks values,
 * json-schema-form.c checks the schema itself before any value, json-schema-value.c compares values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-json-read.h"
#include "base-str.h"

/* References to places that are no subschema by the draft's own keywords. */
#define ODD_TARGETS_MAX 64

struct check {
  const struct json_node *root;
  struct strbuf *problems;
  unsigned depth;
  unsigned silent; /* above 0: what is wrong is not told */
  uint64_t work;
  const struct json_node *odd[ODD_TARGETS_MAX];
  size_t odd_count;
  char invalid[160]; /* why the schema cannot be used; "": it can */
};

/* Both return false. The first reason is kept. */
bool schema_refuse (struct check *check, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* Counts WORK, of which one unit is a few dozen nanoseconds at most. False where it is too much, or where the
 * schema has been refused before: the caller stops. */
bool schema_charge (struct check *check, uint64_t work);

/* ---- The schema itself. */

/* What a keyword can have as its value. */
enum form {
  FORM_TEXT,
  FORM_FLAG,
  FORM_NUMBER,
  FORM_POSITIVE,
  FORM_COUNT,
  FORM_ARRAY,
  FORM_TYPES,
  FORM_NAMES,      /* strings, each once */
  FORM_NAME_LISTS, /* an object of these */
  FORM_SCHEMA,
  FORM_SCHEMAS, /* a schema, or a list of them */
  FORM_LIST,    /* of schemas */
  FORM_MEMBERS, /* an object of schemas */
  FORM_REFERENCE,
  FORM_DRAFT,
  FORM_BASE, /* $id: only at the root */
  FORM_UNSUPPORTED,
};

/* The form of a keyword, or -1: an unknown keyword, which is ignored. */
int schema_keyword_form (const char *name);

/* Checks every subschema of the root, and what references lead to, whether or not a value will come to it. */
bool schema_check_form (struct check *check);

/* The schema that REFERENCE, "#/...", names; NULL where the schema has been refused. */
const struct json_node *schema_follow (struct check *check, const struct json_node *reference);

/* ---- Values. */

double schema_number (const struct json_node *node);
bool schema_has_no_fraction (double value);
bool schema_is_whole (const struct json_node *node);
bool schema_equal (struct check *check, const struct json_node *a, const struct json_node *b);

/* Two equal items, of which the lower index is in RET_LOW. Of several pairs the one that Ajv reports: BY_LOW
 * chooses the greatest low index, and else it is the greatest high one. */
bool schema_find_duplicate (struct check *check, const struct json_node *array, bool by_low, size_t *ret_low,
                            size_t *ret_high);
