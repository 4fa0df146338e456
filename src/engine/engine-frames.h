/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits the output of an attached container into its streams.
 *
 * An engine sends frames: the kind of stream, three zeros, the length as four bytes in big-endian order, then
 * that many bytes. Bytes go in as they were read, split anywhere; pieces of a stream come out. Nothing is
 * buffered, so a length costs no memory, but one past LIMIT_ENGINE_FRAME_BYTES is an error.
 *
 * Must never: read beyond its input, or assign a byte to another stream.
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
  size_t head_bytes; /* bytes of the head so far */
  size_t left;       /* bytes of the frame still to come */
};

struct frame_piece {
  enum frame_stream stream;
  const char *bytes; /* points into the input */
  size_t len;        /* 0: only a head was read */
};

/* Takes the next piece from BYTES; *RET_USED is its size, more than 0 unless LEN is 0. */
int frames_take (struct frames *frames, const char *bytes, size_t len, struct frame_piece *ret_piece,
                 size_t *ret_used, struct error *err);

/* Whether the last frame is complete. If not at the end of the stream, it was cut off. */
bool frames_are_whole (const struct frames *frames);
