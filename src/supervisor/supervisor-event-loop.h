/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one place in the supervisor that waits.
 *
 * An event is a descriptor, a time, or both, with a function that is called when it is due. Its owner keeps
 * the struct, fills it in, adds it to a loop, and removes it before the descriptor is closed. A wait
 * for something runs the loop until that has come: meanwhile every other event that was added is served.
 *
 * A turn asks the kernel once and calls what is due, lower ranks first: bytes are copied before a deadline is
 * kept, and a deadline is kept before the end of a process is looked at. A function may add and remove
 * events, and may run the loop itself; its own event is not watched until it has returned. Nothing is
 * allocated, so nothing here fails for lack of memory.
 *
 * It is poll(2): standard input may be a file, which epoll refuses.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* The most events that a loop has at a time. A run has 22. */
#define EVENT_MAX 32

#define EVENT_NEVER UINT64_MAX

enum event_rank { EVENT_BYTES = -1, EVENT_NORMAL, EVENT_LAST };

struct event_loop;

struct event {
  int fd;       /* -1: none */
  short events; /* of poll(2); 0: only that the other side is gone */
  enum event_rank rank;
  uint64_t due;                         /* a time of run_now_ms; 0: none */
  void (*before) (struct event *event); /* sets fd, events and due for the next turn; may be NULL */
  void (*call) (struct event *event, short revents); /* REVENTS is 0 where only the time has come */
  void *data;

  /* The loop's. */
  struct event_loop *loop; /* NULL: it is not added */
  struct event *next;
  short revents;
  bool pending, busy;
};

struct event_loop {
  struct event *first;
};

/* Behind those of the same rank. */
void event_add (struct event_loop *loop, struct event *event);

/* One that was not added is left alone. The descriptor stays open. */
void event_remove (struct event *event);

/* Waits for events, UNTIL a time at most, and serves them once. Negative errno where the kernel refuses. */
int event_loop_turn (struct event_loop *loop, uint64_t until);

/* Serves events until DONE. -ETIMEDOUT when it is not by UNTIL. */
int event_loop_run (struct event_loop *loop, bool (*done) (void *data), void *data, uint64_t until);

/* What poll(2) returns for one descriptor within MS milliseconds, while nothing else is served; 0:
 * nothing. */
short event_look (int fd, short events, uint64_t ms);

/* Milliseconds of a clock that cannot be set, and that goes on while the machine sleeps. */
uint64_t run_now_ms (void);
