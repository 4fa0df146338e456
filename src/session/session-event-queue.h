/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines on their way to a reader that may be slow or gone.
 *
 * A line is queued whole or not at all; a reader that goes away, or a run that ends before the rest is taken,
 * may leave it with the first part of one. What the reader does not take at once waits in memory, up to
 * LIMIT_EVENT_QUEUE_BYTES; a line that finds no room is dropped and counted. When the reader is gone, all
 * later lines are dropped.
 *
 * Must never: wait for the reader, except in event_queue_drain; raise SIGPIPE; or change the mode of a
 * descriptor that other processes share.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "base-str.h"

struct event_queue {
  int fd;              /* -1: there is no reader, or not any more */
  bool socket;         /* written by send(2) */
  int failed;          /* the errno that ended it, other than a reader that is gone; 0: none */
  uint64_t dropped;    /* lines; the user sets it back */
  struct strbuf bytes; /* not written yet */
};

#define EVENT_QUEUE_NONE ((struct event_queue){ .fd = -1 })

/* Opens the reader that TARGET names: the number of an inherited descriptor, or a file, which is created or
 * appended to. The descriptor is close-on-exec and does not block. -1 in *RET_FD: TARGET is valid, and its
 * reader is gone already. */
int event_target_open (const char *target, int *ret_fd, struct error *err);

/* Whether TARGET names an inherited descriptor. */
bool event_target_is_descriptor (const char *target);

/* FD is from event_target_open; it stays the caller's. */
void event_queue_init (struct event_queue *queue, int fd);

/* Adds LINE, which ends with a newline, and writes what the reader takes. If LAST, room that was kept for the
 * end of the run is used. False: the line was dropped. */
bool event_queue_add (struct event_queue *queue, const char *line, size_t len, bool last);

/* Whether a line of LEN bytes finds room. */
bool event_queue_has_room (const struct event_queue *queue, size_t len, bool last);

/* Writes what the reader takes without waiting. */
void event_queue_flush (struct event_queue *queue);

/* Waits until all is written, MS milliseconds at most. */
void event_queue_drain (struct event_queue *queue, uint64_t ms);

/* The descriptor to poll for writing; -1: nothing waits. */
int event_queue_waiting (const struct event_queue *queue);

void event_queue_clear (struct event_queue *queue);
