/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON reader on any bytes, and the writer on what was read.
 *
 * There is a tree or an error, never both. An error has words and a place inside the text. In a tree every
 * node and key stands where it says, strings are UTF-8, keys differ, and limits hold; written out and
 * read again it is the same. Text that is read without comments is read alike where they are allowed.
 */
#include <config.h>

#include "base-json-read.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-json-write.h"
#include "base-limits.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

/* The text and where its lines begin. */
struct input {
  const char *text;
  size_t size;
  size_t *lines;
  size_t count;
};

static void input_init (struct input *in, const char *text, size_t size)
{
  *in = (struct input){
    .text = text, .size = size, .lines = malloc ((size + 1) * sizeof (size_t)), .count = 1
  };
  INVARIANT (in->lines != NULL);
  in->lines[0] = 0;
  for (size_t i = 0; i < size; i++)
    if (text[i] == '\n')
      in->lines[in->count++] = i + 1;
}

/* The byte at a place, or -1 at the end of the text. A place outside is a failure. */
static int byte_at (const struct input *in, unsigned line, unsigned column)
{
  size_t offset;

  INVARIANT (line >= 1 && line <= in->count && column >= 1);
  offset = in->lines[line - 1] + column - 1;
  INVARIANT (offset <= in->size);
  INVARIANT (line == in->count || offset < in->lines[line]);
  return offset < in->size ? (unsigned char) in->text[offset] : -1;
}

/* Reads "12:" at *AT and moves behind it. */
static unsigned place_part (const char **at)
{
  char *end;
  unsigned long value = strtoul (*at, &end, 10);

  INVARIANT (**at >= '1' && **at <= '9' && *end == ':' && value <= UINT_MAX);
  *at = end + 1;
  return (unsigned) value;
}

static void check_error (const struct input *in, int r, const struct error *err)
{
  const char *at = err->message;
  unsigned line, column;

  INVARIANT (r == -EINVAL && err->code == r);
  INVARIANT (at != NULL && str_has_prefix (at, "input:"));
  at += strlen ("input:");
  line = place_part (&at);
  column = place_part (&at);
  INVARIANT (at[0] == ' ' && at[1] != '\0' && strchr (at, '\n') == NULL);
  byte_at (in, line, column);
}

static const char *starts_with (enum json_type type)
{
  switch (type) {
  case JSON_NULL: return "n";
  case JSON_BOOL: return "tf";
  case JSON_NUMBER: return "-0123456789";
  case JSON_STRING: return "\"";
  case JSON_ARRAY: return "[";
  case JSON_OBJECT: return "{";
  }
  return "";
}

static void check_text (const char *text)
{
  INVARIANT (text != NULL && strlen (text) <= LIMIT_STRING_BYTES && str_is_utf8 (text, strlen (text)));
}

/* Returns how many nodes there are. */
static size_t check_tree (const struct input *in, const struct json_node *node, unsigned depth)
{
  bool container = node->type == JSON_ARRAY || node->type == JSON_OBJECT;
  int first = byte_at (in, node->line, node->column);
  size_t nodes = 1;

  INVARIANT (first > 0 && strchr (starts_with (node->type), first) != NULL);
  INVARIANT (!container || depth < LIMIT_PROFILE_DEPTH);
  INVARIANT (container || node->count == 0);
  if (node->type == JSON_STRING || node->type == JSON_NUMBER)
    check_text (node->text);
  for (size_t i = 0; i < node->count; i++) {
    if (node->type == JSON_OBJECT) {
      check_text (node->keys[i].name);
      INVARIANT (byte_at (in, node->keys[i].line, node->keys[i].column) == '"');
      INVARIANT (json_get (node, node->keys[i].name) == node->items[i]);
    }
    nodes += check_tree (in, node->items[i], depth + 1);
  }
  return nodes;
}

/* PLACES says whether both also stand in the same places. Numbers come back as strings. */
static void check_same (const struct json_node *a, const struct json_node *b, bool places)
{
  bool number = !places && a->type == JSON_NUMBER && b->type == JSON_STRING;

  INVARIANT (a->type == b->type || number);
  INVARIANT (a->count == b->count && a->flag == b->flag && str_equal (a->text, b->text));
  INVARIANT (!places || (a->line == b->line && a->column == b->column));
  for (size_t i = 0; i < a->count; i++) {
    INVARIANT (a->type != JSON_OBJECT || strcmp (a->keys[i].name, b->keys[i].name) == 0);
    check_same (a->items[i], b->items[i], places);
  }
}

static void write_node (struct json_writer *w, const char *key, const struct json_node *node)
{
  switch (node->type) {
  case JSON_NULL: json_null (w, key); break;
  case JSON_BOOL: json_bool (w, key, node->flag); break;
  case JSON_NUMBER:
  case JSON_STRING: json_string (w, key, node->text); break;
  case JSON_ARRAY: json_array_begin (w, key); break;
  case JSON_OBJECT: json_object_begin (w, key); break;
  }
  for (size_t i = 0; i < node->count; i++)
    write_node (w, node->type == JSON_OBJECT ? node->keys[i].name : NULL, node->items[i]);
  if (node->type == JSON_ARRAY)
    json_array_end (w);
  if (node->type == JSON_OBJECT)
    json_object_end (w);
}

static void check_written (const struct json_node *tree, bool pretty)
{
  /* Escapes make a text up to six times as long, and every line of a pretty one is indented. */
  const struct json_limits limits = {
    .bytes = SIZE_MAX,
    .depth = LIMIT_PROFILE_DEPTH,
    .nodes = LIMIT_PROFILE_NODES,
  };
  cleanup_json_writer struct json_writer w = { .pretty = pretty };
  cleanup_json struct json_node *again = NULL;
  cleanup_error struct error err = { 0 };
  cleanup_free char *text = NULL;

  write_node (&w, NULL, tree);
  INVARIANT (json_finish (&w, &text, &err) == 0);
  INVARIANT (json_read ("written", text, strlen (text), &limits, &again, &err) == 0);
  check_same (tree, again, false);
}

static struct json_node *read_input (const struct input *in, bool comments)
{
  const struct json_limits limits = {
    .bytes = LIMIT_PROFILE_BYTES,
    .depth = LIMIT_PROFILE_DEPTH,
    .nodes = LIMIT_PROFILE_NODES,
    .comments = comments,
  };
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;
  int r = json_read ("input", in->text, in->size, &limits, &tree, &err);

  INVARIANT ((r == 0) == (tree != NULL));
  INVARIANT ((r == 0) == !error_is_set (&err));
  if (in->size > LIMIT_PROFILE_BYTES)
    INVARIANT (r == -EFBIG);
  else if (r < 0)
    check_error (in, r, &err);
  else
    INVARIANT (check_tree (in, tree, 0) <= LIMIT_PROFILE_NODES);
  return tree;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  struct input in;
  cleanup_json struct json_node *commented = NULL, *plain = NULL;

  input_init (&in, (const char *) data, size);
  commented = read_input (&in, true);
  plain = read_input (&in, false);
  if (plain != NULL) {
    INVARIANT (commented != NULL);
    check_same (plain, commented, true);
  }
  if (commented != NULL) {
    check_written (commented, false);
    check_written (commented, true);
  }
  free (in.lines);
  return 0;
}
