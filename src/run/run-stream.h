/* One direction of one standard stream: bytes from one descriptor to another, within a cap.
 *
 * Past the cap, or when the far end is gone, bytes are still read and counted, so that the command neither
 * blocks nor gets a signal for writing too much. Nothing here blocks: the caller polls for what is wanted.
 * But the command can hold its pipes, and us with them: while a call at its end is under way, a number that
 * the watchdog sees is odd.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_BUFFER 65536

struct stream {
  int from, to;      /* -1: closed, or nowhere to write */
  bool own_to;       /* TO is the command's, and ours to close at the end (a pipe); otherwise FROM is */
  atomic_uint *turn; /* the watchdog's number, or NULL */
  uint64_t cap;      /* bytes that pass */
  uint64_t seen;     /* bytes that came */
  uint64_t passed;
  size_t start, len;
  char buffer[STREAM_BUFFER];
};

bool stream_wants_read (const struct stream *stream);
bool stream_wants_write (const struct stream *stream);

/* Reads what is there. At the end of FROM it is closed. */
void stream_read (struct stream *stream);

/* Writes what fits without blocking. */
void stream_write (struct stream *stream);

bool stream_is_done (const struct stream *stream);
bool stream_was_cut (const struct stream *stream);

void stream_clear (struct stream *stream);
