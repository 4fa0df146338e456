/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of one standard stream: bytes from one descriptor to another, within a cap.
 *
 * With a rate, bytes beyond it are read later, and the command waits at its full pipe.
 *
 * Past the cap bytes are still read and counted, so that the command neither blocks nor gets a signal for
 * writing too much; what the excess means is the caller's decision. When the reader at the far end is gone,
 * both ends are closed, so that the writer gets SIGPIPE or EPIPE as in a shell's pipeline. Nothing here
 * blocks for long: the user of this polls for what is wanted, and a call at the caller's end, which may block
 * all the same, has an I/O timeout. A process that holds the lock of a pipe holds us with it, though: while a
 * call is under way, a number that the watchdog sees is odd (watchdog.c).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-io-timeout.h"

#define STREAM_BUFFER 65536

struct stream {
  int from, to;      /* -1: closed, or nowhere to write */
  bool own_to;       /* TO is the command's, and ours to close at the end (a pipe); otherwise FROM is */
  atomic_uint *turn; /* the watchdog's number, or NULL */
  const struct io_timeout *io_timeout; /* for the end that is the caller's, or NULL */
  uint64_t cap;                        /* bytes that pass */
  uint64_t seen;                       /* bytes that came */
  uint64_t rate;                       /* bytes per second that are read; 0: as many as come */
  uint64_t allowance;                  /* with a rate: bytes that may be read now */
  uint64_t refilled;                   /* when it was last added to; a time of run_now_ms */
  uint64_t pauses;                     /* how often it was used up */
  uint64_t passed;
  char *tail; /* the last LIMIT_TAIL_BYTES that came, passed or not; NULL: they are not kept */
  size_t tail_len;
  int failed; /* the error that ended it, where that was neither the end nor a reader that went away; 0: none
               */
  bool reader_gone; /* the reader at the far end was, before the writer had ended */
  bool watched;     /* poll tells when the reader at the far end is gone */
  size_t start, len;
  char buffer[STREAM_BUFFER];
};

bool stream_wants_read (const struct stream *stream);
bool stream_wants_write (const struct stream *stream);

/* Sets a rate, from now on: a second's worth of bytes may be read at once. 0: none. */
void stream_set_rate (struct stream *stream, uint64_t rate);

/* Adds what a rate allows by NOW. Returns when to look again if nothing may be read yet; 0: it may. */
uint64_t stream_refill (struct stream *stream, uint64_t now);

/* Reads what is there. At the end of FROM it is closed. */
void stream_read (struct stream *stream);

/* Writes what fits without blocking. */
void stream_write (struct stream *stream);

/* Finds out whether poll can tell that the reader of TO is gone, and no other can come. Of a FIFO with a name
 * that is not sure, and files of sysfs, cgroups and the like mean something else by POLLERR: there only a
 * write tells. */
void stream_watch_reader (struct stream *stream);

/* What poll said of TO while it is watched and there was nothing to write: whether its reader is gone. */
void stream_look_at_reader (struct stream *stream, short revents);

/* More came than may pass. */
bool stream_is_over (const struct stream *stream);

/* Keeps the end of what comes from now on. Negative errno where memory ran out. */
int stream_keep_tail (struct stream *stream);

bool stream_is_done (const struct stream *stream);
/* Once nothing is written any more: whether some of it did not get through. */
bool stream_was_cut (const struct stream *stream);

void stream_clear (struct stream *stream);
