/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-frames.h"

#include <errno.h>
#include <string.h>

#include "base-limits.h"

/* Interprets a complete head. */
static int read_head (struct frames *frames, struct error *err)
{
  const unsigned char *head = frames->head;
  size_t len = (size_t) head[4] << 24 | (size_t) head[5] << 16 | (size_t) head[6] << 8 | head[7];

  if (head[0] > FRAME_STDERR || head[1] != 0 || head[2] != 0 || head[3] != 0)
    return error_set (err, -EPROTO, "the engine sent output without a frame");
  if (len > LIMIT_ENGINE_FRAME_BYTES)
    return error_set (err, -EPROTO, "the engine sent a frame of %zu bytes; the limit is %zu", len,
                      LIMIT_ENGINE_FRAME_BYTES);
  frames->left = len;
  return 0;
}

int frames_take (struct frames *frames, const char *bytes, size_t len, struct frame_piece *ret_piece,
                 size_t *ret_used, struct error *err)
{
  size_t used = 0, take;
  int r;

  if (frames->head_bytes == FRAME_HEAD_BYTES && frames->left == 0)
    frames->head_bytes = 0;
  if (frames->head_bytes < FRAME_HEAD_BYTES) {
    used = FRAME_HEAD_BYTES - frames->head_bytes < len ? FRAME_HEAD_BYTES - frames->head_bytes : len;
    if (used > 0)
      memcpy (frames->head + frames->head_bytes, bytes, used);
    frames->head_bytes += used;
    if (frames->head_bytes == FRAME_HEAD_BYTES) {
      r = read_head (frames, err);
      if (r < 0)
        return r;
    }
  }
  take = frames->head_bytes < FRAME_HEAD_BYTES ? 0 : (frames->left < len - used ? frames->left : len - used);
  *ret_piece = (struct frame_piece){ .stream = (enum frame_stream) frames->head[0],
                                     .bytes = len > 0 ? bytes + used : NULL,
                                     .len = take };
  frames->left -= take;
  *ret_used = used + take;
  return 0;
}

bool frames_are_whole (const struct frames *frames)
{
  return frames->head_bytes == 0 || (frames->head_bytes == FRAME_HEAD_BYTES && frames->left == 0);
}
