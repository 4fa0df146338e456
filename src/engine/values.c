/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-values.h"

#include <errno.h>
#include <string.h>

#include "base-limits.h"

#define RECORD_SEPARATOR '\x1e'

/* Between two objects. */
static int skip_between (struct values *values, char c, struct error *err)
{
  if (c == '{')
    values->depth = 1;
  else if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != RECORD_SEPARATOR)
    return error_set (err, -EPROTO,
                      "the engine sent something that is not a JSON object in a stream of objects");
  return 0;
}

/* Inside an object: tracks strings and nesting to find its end. json_read checks the rest. */
static void follow (struct values *values, char c)
{
  if (values->in_string) {
    if (values->escaped)
      values->escaped = false;
    else if (c == '\\')
      values->escaped = true;
    else if (c == '"')
      values->in_string = false;
  } else if (c == '"')
    values->in_string = true;
  else if (c == '{' || c == '[')
    values->depth++;
  else if (c == '}' || c == ']')
    values->depth--;
}

static int finish_value (struct values *values, struct error *err)
{
  int r = values->each (values->text.text, values->text.len, values->data, err);

  strbuf_clear (&values->text);
  return r;
}

int values_take (struct values *values, const char *bytes, size_t len, struct error *err)
{
  int r = 0;

  for (size_t i = 0; i < len && r == 0;) {
    size_t start = i;

    if (values->depth == 0) {
      r = skip_between (values, bytes[i++], err);
      if (r < 0 || values->depth == 0)
        continue;
    }
    while (i < len && values->depth > 0)
      follow (values, bytes[i++]);
    if (values->text.len + (i - start) > LIMIT_ENGINE_VALUE_BYTES)
      return error_set (err, -EFBIG, "the engine sent a JSON object of more than %zu bytes in a stream",
                        LIMIT_ENGINE_VALUE_BYTES);
    strbuf_add_bytes (&values->text, bytes + start, i - start);
    if (values->text.failed)
      return error_oom (err);
    if (values->depth == 0)
      r = finish_value (values, err);
  }
  return r;
}

bool values_are_whole (const struct values *values)
{
  return values->depth == 0;
}

void values_clear (struct values *values)
{
  strbuf_clear (&values->text);
  values->depth = 0;
  values->in_string = values->escaped = false;
}
