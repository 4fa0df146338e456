/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-json-write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-read.h"
#include "base-number.h"

/* A line break and the deepest indentation; each line uses a prefix of it. */
#define LEVELS_8  "                "
#define LEVELS_32 LEVELS_8 LEVELS_8 LEVELS_8 LEVELS_8
static const char indentation[1 + 2 * JSON_WRITE_DEPTH + 1] = "\n" LEVELS_32 LEVELS_32 LEVELS_32 LEVELS_32;

static void new_line (struct json_writer *w)
{
  if (w->pretty)
    strbuf_add_bytes (&w->buf, indentation, 1 + (size_t) 2 * w->depth);
}

/* Returns whether the text has bytes outside ASCII. */
static bool escape (struct json_writer *w, const char *text, size_t len)
{
  size_t done = 0;
  unsigned char bits = 0;

  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char) text[i];

    bits |= c;
    if (c >= ' ' && c != '"' && c != '\\' && c != 0x7f)
      continue;
    strbuf_add_bytes (&w->buf, text + done, i - done);
    done = i + 1;
    if (c == '"' || c == '\\')
      strbuf_addf (&w->buf, "\\%c", c);
    else if (c == '\n')
      strbuf_add (&w->buf, "\\n");
    else if (c == '\t')
      strbuf_add (&w->buf, "\\t");
    else
      strbuf_addf (&w->buf, "\\u%04x", c);
  }
  strbuf_add_bytes (&w->buf, text + done, len - done);
  return bits >= 0x80;
}

static void refuse_text (struct json_writer *w, const char *where)
{
  if (w->bad_text != NULL)
    return;
  w->bad_text = strdup (where);
  if (w->bad_text == NULL)
    w->buf.failed = true;
}

/* Writes TEXT as a string; WHERE names it in the error if it is not valid UTF-8. */
static void quote (struct json_writer *w, const char *text, const char *where)
{
  size_t len = strlen (text);

  strbuf_add_bytes (&w->buf, "\"", 1);
  if (escape (w, text, len) && !str_is_utf8 (text, len))
    refuse_text (w, where);
  strbuf_add_bytes (&w->buf, "\"", 1);
}

/* Writes everything that precedes a value. */
static void begin_value (struct json_writer *w, const char *key)
{
  if (w->depth == 0) {
    if (key != NULL || w->buf.len > 0)
      w->misused = true; /* a document is one value without a name */
    return;
  }
  if (w->is_object[w->depth - 1] != (key != NULL))
    w->misused = true;
  if (w->has_items[w->depth - 1])
    strbuf_add_bytes (&w->buf, ",", 1);
  w->has_items[w->depth - 1] = true;
  new_line (w);
  if (key != NULL) {
    quote (w, key, "a key");
    strbuf_add_bytes (&w->buf, ": ", w->pretty ? 2 : 1);
  }
}

static void open_container (struct json_writer *w, const char *key, bool object)
{
  begin_value (w, key);
  strbuf_add_bytes (&w->buf, object ? "{" : "[", 1);
  if (w->depth >= JSON_WRITE_DEPTH) {
    w->misused = true;
    return;
  }
  w->is_object[w->depth] = object;
  w->has_items[w->depth] = false;
  w->depth++;
}

static void close_container (struct json_writer *w, bool object)
{
  if (w->depth == 0 || w->is_object[w->depth - 1] != object) {
    w->misused = true;
    return;
  }
  w->depth--;
  if (w->has_items[w->depth])
    new_line (w);
  strbuf_add_bytes (&w->buf, object ? "}" : "]", 1);
}

void json_object_begin (struct json_writer *w, const char *key)
{
  open_container (w, key, true);
}

void json_object_end (struct json_writer *w)
{
  close_container (w, true);
}

void json_array_begin (struct json_writer *w, const char *key)
{
  open_container (w, key, false);
}

void json_array_end (struct json_writer *w)
{
  close_container (w, false);
}

void json_string (struct json_writer *w, const char *key, const char *value)
{
  if (value == NULL) {
    json_null (w, key);
    return;
  }
  begin_value (w, key);
  quote (w, value, key ? key : "a list entry");
}

static void add_digits (struct json_writer *w, uint64_t value)
{
  char digits[24];
  size_t at = sizeof (digits);

  do {
    digits[--at] = (char) ('0' + value % 10);
    value /= 10;
  } while (value > 0);
  strbuf_add_bytes (&w->buf, digits + at, sizeof (digits) - at);
}

void json_number (struct json_writer *w, const char *key, uint64_t value)
{
  begin_value (w, key);
  add_digits (w, value);
}

void json_integer (struct json_writer *w, const char *key, int64_t value)
{
  begin_value (w, key);
  if (value < 0)
    strbuf_add_bytes (&w->buf, "-", 1);
  add_digits (w, value < 0 ? -(uint64_t) value : (uint64_t) value);
}

void json_bool (struct json_writer *w, const char *key, bool value)
{
  begin_value (w, key);
  strbuf_add (&w->buf, value ? "true" : "false");
}

void json_null (struct json_writer *w, const char *key)
{
  begin_value (w, key);
  strbuf_add (&w->buf, "null");
}

void json_milli (struct json_writer *w, const char *key, uint64_t milli)
{
  char text[NUMBER_TEXT];

  number_format_milli (milli, text);
  begin_value (w, key);
  strbuf_add (&w->buf, text);
}

void json_strings (struct json_writer *w, const char *key, const struct strlist *list)
{
  json_array_begin (w, key);
  for (size_t i = 0; i < list->count; i++)
    json_string (w, NULL, list->items[i]);
  json_array_end (w);
}

void json_bytes (struct json_writer *w, const char *key, const char *bytes, size_t len)
{
  begin_value (w, key);
  strbuf_add (&w->buf, "\"");
  while (len > 0) {
    size_t bad, good = str_utf8_prefix (bytes, len, &bad);

    escape (w, bytes, good);
    if (bad > 0)
      strbuf_add (&w->buf, "\xef\xbf\xbd");
    bytes += good + bad;
    len -= good + bad;
  }
  strbuf_add (&w->buf, "\"");
}

/* The recursion is bounded by the depth limit of the reader. */
void json_copy (struct json_writer *w, const char *key, const struct json_node *node)
{
  switch (node->type) {
  case JSON_NULL: json_null (w, key); return;
  case JSON_BOOL: json_bool (w, key, node->flag); return;
  case JSON_STRING: json_string (w, key, node->text); return;
  case JSON_NUMBER:
    begin_value (w, key);
    strbuf_add (&w->buf, node->text);
    return;
  case JSON_ARRAY:
    json_array_begin (w, key);
    for (size_t i = 0; i < node->count; i++)
      json_copy (w, NULL, node->items[i]);
    json_array_end (w);
    return;
  case JSON_OBJECT:
    json_object_begin (w, key);
    for (size_t i = 0; i < node->count; i++)
      json_copy (w, node->keys[i].name, node->items[i]);
    json_object_end (w);
    return;
  }
}

int json_finish (struct json_writer *w, char **ret_text, struct error *err)
{
  char *text;

  if (w->bad_text != NULL)
    return error_set (err, -EILSEQ, "%s: not valid UTF-8, which JSON cannot carry", w->bad_text);
  if (w->misused || w->depth != 0 || (w->buf.len == 0 && !w->buf.failed))
    return error_set (err, -EINVAL, "internal error: JSON writer used out of order");
  strbuf_add (&w->buf, "\n");
  text = strbuf_take (&w->buf);
  if (text == NULL)
    return error_oom (err);
  *ret_text = text;
  return 0;
}

void json_writer_clear (struct json_writer *w)
{
  strbuf_clear (&w->buf);
  free (w->bad_text);
  *w = (struct json_writer){ 0 };
}

int json_finish_into (struct json_writer *w, struct strbuf *buf, struct error *err)
{
  cleanup_free char *text = NULL;
  int r = json_finish (w, &text, err);

  if (r == 0)
    strbuf_add (buf, text);
  return r;
}
