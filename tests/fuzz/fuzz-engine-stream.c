/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an engine sends on a connection, as any bytes in pieces of any size: head, frames, values.
 *
 * The first byte says how the rest is cut. Whatever the cut, the outcome is the same as for all of it at
 * once: the same streams, the same objects, the same failure.
 */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base-str.h"
#include "engine-frames.h"
#include "engine-head.h"
#include "engine-values.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void must (bool holds)
{
  if (!holds)
    abort ();
}

/* Everything that came out, in a form that can be compared. */
struct outcome {
  struct strbuf text[3];
  int code;
  bool whole;
};

static void outcome_clear (struct outcome *outcome)
{
  for (size_t i = 0; i < 3; i++)
    strbuf_clear (&outcome->text[i]);
}

static void check_same (struct outcome *a, struct outcome *b)
{
  must (a->code == b->code && (a->code < 0 || a->whole == b->whole));
  for (size_t i = 0; i < 3; i++)
    must (a->text[i].len == b->text[i].len
          && (a->text[i].len == 0 || memcmp (a->text[i].text, b->text[i].text, a->text[i].len) == 0));
  outcome_clear (a);
  outcome_clear (b);
}

static struct outcome run_frames (const char *bytes, size_t len, size_t step)
{
  cleanup_error struct error err = { 0 };
  struct outcome outcome = { 0 };
  struct frames frames = { 0 };

  for (size_t at = 0; at < len && outcome.code == 0;) {
    size_t room = step < len - at ? step : len - at, used = 0;
    struct frame_piece piece = { 0 };

    outcome.code = frames_take (&frames, bytes + at, room, &piece, &used, &err);
    if (outcome.code < 0)
      break;
    must (used > 0 && used <= room && piece.len <= used);
    must (piece.len == 0 || (piece.bytes >= bytes && piece.bytes + piece.len == bytes + at + used));
    if (piece.len > 0)
      strbuf_add_bytes (&outcome.text[piece.stream], piece.bytes, piece.len);
    at += used;
  }
  must ((outcome.code < 0) == error_is_set (&err));
  outcome.whole = frames_are_whole (&frames);
  return outcome;
}

static int keep_value (const char *text, size_t len, void *data, struct error *err)
{
  struct strbuf *all = data;

  (void) err;
  must (len >= 2 && text[0] == '{');
  strbuf_add_bytes (all, text, len);
  strbuf_add (all, "\n");
  return 0;
}

static struct outcome run_values (const char *bytes, size_t len, size_t step)
{
  cleanup_error struct error err = { 0 };
  struct outcome outcome = { 0 };
  cleanup_values struct values values = { .each = keep_value, .data = &outcome.text[0] };

  for (size_t at = 0; at < len && outcome.code == 0; at += step)
    outcome.code = values_take (&values, bytes + at, step < len - at ? step : len - at, &err);
  must ((outcome.code < 0) == error_is_set (&err));
  outcome.whole = values_are_whole (&values);
  return outcome;
}

/* A head that is complete stays the same, whatever follows. */
static void check_head (const char *bytes, size_t len)
{
  cleanup_error struct error err = { 0 };
  struct reply_head head = { 0 }, again = { 0 };
  int r = reply_head_read (bytes, len, &head, &err);

  must ((r < 0) == error_is_set (&err));
  if (r < 0 || head.status == 0)
    return;
  must (head.bytes <= len && head.bytes >= 12 && head.status >= 100 && head.status <= 999);
  must (reply_head_read (bytes, head.bytes, &again, &err) == 0);
  must (again.status == head.status && again.bytes == head.bytes);
  must (reply_head_read (bytes, head.bytes - 1, &again, &err) == 0 && again.status == 0);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *bytes = (const char *) data + 1;
  struct outcome whole, cut;
  size_t step;

  if (size < 2)
    return 0;
  step = (size_t) data[0] % 16 + 1;
  size--;
  whole = run_frames (bytes, size, size);
  cut = run_frames (bytes, size, step);
  check_same (&whole, &cut);
  whole = run_values (bytes, size, size);
  cut = run_values (bytes, size, step);
  check_same (&whole, &cut);
  check_head (bytes, size);
  return 0;
}
