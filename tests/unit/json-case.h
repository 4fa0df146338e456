/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading JSON as both programs that test it do: a text that must be read, or a text that must be
 * refused with exactly one message, under the limits of a profile with and without comments.
 */
#pragma once

#include "base-json-read.h"
#include "base-limits.h"
#include "unit.h"

static const struct json_limits strict = {
  .bytes = LIMIT_PROFILE_BYTES,
  .depth = LIMIT_PROFILE_DEPTH,
  .nodes = LIMIT_PROFILE_NODES,
};

static const struct json_limits commented = {
  .bytes = LIMIT_PROFILE_BYTES,
  .depth = LIMIT_PROFILE_DEPTH,
  .nodes = LIMIT_PROFILE_NODES,
  .comments = true,
};

static inline struct json_node *read_bytes (const char *text, size_t len, const struct json_limits *limits)
{
  cleanup_error struct error err = { 0 };
  struct json_node *tree = NULL;

  if (json_read ("f", text, len, limits, &tree, &err) < 0)
    fail_msg ("'%.60s' is refused: %s", text, error_text (&err));
  assert_false (error_is_set (&err));
  assert_non_null (tree);
  return tree;
}

static inline struct json_node *read_text (const char *text, const struct json_limits *limits)
{
  return read_bytes (text, strlen (text), limits);
}

/* The text is refused with exactly this message, and the output is not touched. */
static inline void check_bytes_refused (const char *text, size_t len, const struct json_limits *limits,
                                        const char *message)
{
  cleanup_error struct error err = { 0 };
  struct json_node mark = { 0 }, *tree = &mark;
  int r = json_read ("f", text, len, limits, &tree, &err);

  CHECK (r < 0, "'%.60s' is read, not refused with '%s'", text, message);
  assert_int_equal (r, err.code);
  CHECK (strcmp (error_text (&err), message) == 0, "'%.60s' is refused with '%s', not '%s'", text,
         error_text (&err), message);
  assert_ptr_equal (tree, &mark);
}

static inline void check_refused (const char *text, const struct json_limits *limits, const char *message)
{
  check_bytes_refused (text, strlen (text), limits, message);
}
