/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stream of JSON objects, one behind the other, cut into its values as it comes.
 *
 * Engines tell of progress and events this way, with line breaks between the objects, with record separators,
 * or with nothing. Bytes go in as they were read, split anywhere; each object goes to EACH as text of its
 * own, which json_read then reads. Only where one begins and ends is found out here.
 *
 * Must never: keep more than LIMIT_ENGINE_VALUE_BYTES, or hand out an object that is not complete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base-error.h"
#include "base-str.h"

/* One object; a failure stops the stream. */
typedef int values_each (const char *text, size_t len, void *data, struct error *err);

/* Starts as all zeros, but for EACH and DATA. */
struct values {
  values_each *each;
  void *data;
  struct strbuf text; /* what there is of the object under way */
  size_t depth;       /* braces and brackets that are open */
  bool in_string, escaped;
};

int values_take (struct values *values, const char *bytes, size_t len, struct error *err);

/* Whether nothing is under way: a stream that ends elsewhere was cut off. */
bool values_are_whole (const struct values *values);

void values_clear (struct values *values);
#define cleanup_values cleanup (values_clear)
