/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of a session as JSON lines (docs/events.md), for a client that follows the run from outside.
 *
 * A line has seq, time, run, event, and the fields of that event. Lines that the reader was too slow for are
 * left out: the sequence has a gap, and a line "dropped" has their number.
 *
 * Must never: delay or end the run (session-event-queue.h).
 */
#pragma once

#include "session-event-queue.h"
#include "session-session.h"

struct event_sink {
  struct event_queue queue;
  uint64_t seq;
};

/* FD is from event_target_open, or -1: then there are no lines. */
void event_sink_init (struct event_sink *sink, int fd);

void event_sink_event (struct event_sink *sink, const struct session_event *event);

/* The last event was told: gives the reader a moment to take the rest. */
void event_sink_end (struct event_sink *sink);

void event_sink_clear (struct event_sink *sink);
