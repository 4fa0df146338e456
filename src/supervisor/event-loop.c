/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-event-loop.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* A wait is cut into pieces that fit into an int. */
#define SLICE_MS 60000u

uint64_t run_now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

void event_add (struct event_loop *loop, struct event *event)
{
  struct event **at = &loop->first;
  unsigned count = 1;

  for (const struct event *other = loop->first; other != NULL; other = other->next)
    count++;
  /* One that is not watched would be waited for without an end. */
  if (count > EVENT_MAX)
    abort ();
  while (*at != NULL && (*at)->rank <= event->rank)
    at = &(*at)->next;
  event->loop = loop;
  event->next = *at;
  event->pending = event->busy = false;
  *at = event;
}

void event_remove (struct event *event)
{
  if (event->loop == NULL)
    return;
  for (struct event **at = &event->loop->first; *at != NULL; at = &(*at)->next)
    if (*at == event) {
      *at = event->next;
      break;
    }
  event->loop = NULL;
  event->next = NULL;
}

/* The only call that waits. */
static int wait_for (struct pollfd *fds, nfds_t count, uint64_t until)
{
  uint64_t now = until == 0 ? 0 : run_now_ms (), left = until > now ? until - now : 0;
  int n = poll (fds, count, until == EVENT_NEVER ? -1 : (int) (left > SLICE_MS ? SLICE_MS : left));

  return n < 0 ? -errno : n;
}

/* Puts what is to be watched into FDS, in the order of the list. Returns when the next time comes. */
static uint64_t gather (struct event_loop *loop, struct pollfd *fds, nfds_t *ret_count, uint64_t until)
{
  nfds_t count = 0;

  for (struct event *event = loop->first; event != NULL; event = event->next) {
    if (event->before != NULL && !event->busy)
      event->before (event);
    if (!event->busy && event->due != 0 && event->due < until)
      until = event->due;
    fds[count++] = (struct pollfd){ event->busy ? -1 : event->fd, event->events, 0 };
  }
  *ret_count = count;
  return until;
}

static void note (struct event_loop *loop, const struct pollfd *fds)
{
  uint64_t now = 0;

  for (struct event *event = loop->first; event != NULL; event = event->next, fds++) {
    if (event->due != 0 && now == 0)
      now = run_now_ms ();
    event->revents = fds->revents;
    event->pending = !event->busy && (fds->revents != 0 || (event->due != 0 && now >= event->due));
  }
}

/* From the start each time: what was called before may have removed or served any of them. */
static struct event *next_pending (const struct event_loop *loop)
{
  struct event *event = loop->first;

  while (event != NULL && !event->pending)
    event = event->next;
  return event;
}

int event_loop_turn (struct event_loop *loop, uint64_t until)
{
  struct pollfd fds[EVENT_MAX];
  struct event *event;
  nfds_t count;
  int n;

  until = gather (loop, fds, &count, until);
  n = wait_for (fds, count, until);
  if (n < 0)
    return n == -EINTR ? 0 : n;
  note (loop, fds);
  while ((event = next_pending (loop)) != NULL) {
    event->pending = false;
    event->busy = true;
    event->call (event, event->revents);
    event->busy = false;
  }
  return 0;
}

int event_loop_run (struct event_loop *loop, bool (*done) (void *data), void *data, uint64_t until)
{
  while (!done (data)) {
    int r = until != EVENT_NEVER && run_now_ms () >= until ? -ETIMEDOUT : event_loop_turn (loop, until);

    if (r < 0)
      return r;
  }
  return 0;
}

short event_look (int fd, short events, uint64_t ms)
{
  struct pollfd one = { fd, events, 0 };
  uint64_t until = ms == 0 ? 0 : run_now_ms () + ms;
  int n;

  do
    n = wait_for (&one, 1, until);
  while (n == -EINTR || (n == 0 && ms != 0 && run_now_ms () < until));
  if (n <= 0)
    return 0;
  return one.revents;
}
