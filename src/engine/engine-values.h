/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits a stream of JSON objects into the single objects.
 *
 * Engines send progress and events this way, with line breaks between the objects, with record separators, or
 * with nothing. Bytes go in as they were read, split anywhere; EACH gets each object as text for json_read.
 * Only the start and the end of an object are recognized here.
 *
 * Must never: keep more than LIMIT_ENGINE_VALUE_BYTES, or hand out an incomplete object.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "base-str.h"

/* Gets one object; a failure stops the stream. */
typedef int values_each (const char *text, size_t len, void *data, struct error *err);

/* All zeros at the start, except EACH and DATA. */
struct values {
  values_each *each;
  void *data;
  struct strbuf text; /* the current object so far */
  size_t depth;       /* open braces and brackets */
  bool in_string, escaped;
};

int values_take (struct values *values, const char *bytes, size_t len, struct error *err);

/* Whether no object is incomplete. If one is at the end of the stream, it was cut off. */
bool values_are_whole (const struct values *values);

void values_clear (struct values *values);
#define cleanup_values cleanup (values_clear)
