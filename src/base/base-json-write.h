/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes JSON directly as text.
 *
 * Every document has a fixed order of keys, so no tree is needed, and the same input gives the same bytes.
 * Misuse and memory failure are sticky; json_finish reports them. JSON cannot represent a string that is not
 * UTF-8: such a string makes the document fail and its key is named; it is never replaced.
 *
 * KEY is NULL inside arrays.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"

#define JSON_WRITE_DEPTH 128

struct json_node;

struct json_writer {
  struct strbuf buf;
  bool pretty;
  unsigned depth;
  bool has_items[JSON_WRITE_DEPTH];
  bool is_object[JSON_WRITE_DEPTH];
  bool misused;
  char *bad_text; /* the first key whose value was not UTF-8 */
};

void json_object_begin (struct json_writer *w, const char *key);
void json_object_end (struct json_writer *w);
void json_array_begin (struct json_writer *w, const char *key);
void json_array_end (struct json_writer *w);

void json_string (struct json_writer *w, const char *key, const char *value); /* NULL writes null */
void json_number (struct json_writer *w, const char *key, uint64_t value);
void json_integer (struct json_writer *w, const char *key, int64_t value);
void json_bool (struct json_writer *w, const char *key, bool value);
void json_null (struct json_writer *w, const char *key);
void json_strings (struct json_writer *w, const char *key, const struct strlist *list);

/* Arbitrary bytes from outside: invalid UTF-8 is replaced by U+FFFD. Only for the output of a program that
 * is shown to a reader; all other text is rejected instead of changed. */
void json_bytes (struct json_writer *w, const char *key, const char *bytes, size_t len);

/* A parsed tree, unchanged. */
void json_copy (struct json_writer *w, const char *key, const struct json_node *node);

/* Thousandths as a JSON number: 1500 is 1.5. */
void json_milli (struct json_writer *w, const char *key, uint64_t milli);

/* The finished document with a newline at its end; the writer is empty afterwards. */
int json_finish (struct json_writer *w, char **ret_text, struct error *err);

/* The same, added to BUF, whose own failure is sticky. */
int json_finish_into (struct json_writer *w, struct strbuf *buf, struct error *err);

void json_writer_clear (struct json_writer *w);
#define cleanup_json_writer cleanup (json_writer_clear)
