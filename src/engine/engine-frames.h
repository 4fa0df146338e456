/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of an attached container, taken apart as it comes.
 *
 * An engine sends frames: a kind of stream, three zeros, the length as four bytes with the greatest first,
 * then that many bytes. Bytes go in as they were read, split anywhere; pieces of a stream come out, which are
 * never kept here. So a length is only a number, but one past LIMIT_ENGINE_FRAME_BYTES is no frame of an
 * engine's.
 *
 * Must never: read beyond what it was given, or hand out a byte under another stream's name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"

#define FRAME_HEAD_BYTES 8

enum frame_stream { FRAME_STDIN, FRAME_STDOUT, FRAME_STDERR };

/* Starts as all zeros. */
struct frames {
  unsigned char head[FRAME_HEAD_BYTES];
  size_t head_bytes; /* how many of the head there are */
  size_t left;       /* bytes of the frame that are still to come */
};

struct frame_piece {
  enum frame_stream stream;
  const char *bytes; /* in what was given */
  size_t len;        /* 0: nothing but a head was taken */
};

/* Takes the next piece from BYTES; *RET_USED, more than 0 unless LEN is 0, says how much it was. */
int frames_take (struct frames *frames, const char *bytes, size_t len, struct frame_piece *ret_piece,
                 size_t *ret_used, struct error *err);

/* Whether the last frame is complete: a stream that ends elsewhere was cut off. */
bool frames_are_whole (const struct frames *frames);
