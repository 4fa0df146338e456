/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-head.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base-limits.h"

/* "HTTP/1.1 101 UPGRADED": exactly three digits. */
#define STATUS_AT 9

static bool is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* The status of the line at TEXT, or 0 when it is no status line. */
static unsigned read_status (const char *text, size_t len)
{
  const char *digits = text + STATUS_AT;

  if (len < STATUS_AT + 3 || memcmp (text, "HTTP/1.", strlen ("HTTP/1.")) != 0
      || (text[STATUS_AT - 2] != '0' && text[STATUS_AT - 2] != '1') || text[STATUS_AT - 1] != ' ')
    return 0;
  if (digits[0] < '1' || digits[0] > '9' || !is_digit (digits[1]) || !is_digit (digits[2])
      || (len > STATUS_AT + 3 && digits[3] != ' '))
    return 0;
  return (unsigned) ((digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0'));
}

static int not_a_reply (struct error *err)
{
  return error_set (err, -EPROTO, "the engine sent something that is not an HTTP reply");
}

/* Reads lines up to the empty one; a carriage return before the line break belongs to it. */
int reply_head_read (const char *bytes, size_t len, struct reply_head *ret_head, struct error *err)
{
  struct reply_head head = { 0 };
  bool first = true;
  size_t at = 0;

  while (at < len) {
    const char *line = bytes + at;
    const char *end = memchr (line, '\n', len - at);
    size_t line_len;

    if (end == NULL)
      break;
    line_len = (size_t) (end - line);
    at += line_len + 1;
    if (line_len > 0 && line[line_len - 1] == '\r')
      line_len--;
    if (at > LIMIT_ENGINE_HEAD_BYTES || memchr (line, '\0', line_len) != NULL)
      return not_a_reply (err);
    if (first) {
      head.status = read_status (line, line_len);
      if (head.status == 0)
        return not_a_reply (err);
      first = false;
    } else if (line_len == 0 && (head.status >= 200 || head.status == 101)) {
      head.bytes = at;
      *ret_head = head;
      return 0;
    } else if (line_len == 0)
      first = true;
  }
  if (len > LIMIT_ENGINE_HEAD_BYTES)
    return error_set (err, -EFBIG, "the head of the engine's reply has more than %zu bytes",
                      LIMIT_ENGINE_HEAD_BYTES);
  *ret_head = (struct reply_head){ 0 };
  return 0;
}
