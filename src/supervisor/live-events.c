/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the session is told while the command runs: denials, limits that are reached.
 *
 * A denial is told when its record is new, and when its count has doubled since: a flood of refused calls is
 * a few lines. What the session could not pass on to its reader yet is passed on by the loop, when the reader
 * takes it.
 */
#include <config.h>

#include "supervisor-internal.h"

struct live_events {
  struct event event;
};

static void set_waiting (struct event *event)
{
  const struct run_observer *observer = ((const struct run *) event->data)->options->observer;

  event->fd = observer->waiting (observer->data);
}

static void on_waiting (struct event *event, short revents)
{
  const struct run_observer *observer = ((const struct run *) event->data)->options->observer;

  (void) revents;
  observer->flush (observer->data);
}

static int start (struct run *run, void *state, struct error *err)
{
  struct live_events *live = state;

  (void) err;
  if (run->options->observer == NULL)
    return 0;
  live->event =
      (struct event){ .fd = -1, .events = POLLOUT, .before = set_waiting, .call = on_waiting, .data = run };
  event_add (&run->loop, &live->event);
  return 0;
}

static void undo (struct run *run, void *state, struct error *err)
{
  struct live_events *live = state;

  (void) run;
  (void) err;
  event_remove (&live->event);
}

const struct run_part live_events_part = {
  .name = "live events", .size = sizeof (struct live_events), .start = start, .undo = undo
};

void run_tell_denials (struct run *run)
{
  const struct run_observer *observer = run->options->observer;
  struct denials *denials = &run->result.denials;

  for (size_t i = 0; observer != NULL && i < denials->count; i++) {
    struct denial *denial = &denials->items[i];

    if (denial->told > 0 && denial->count / 2 < denial->told)
      continue;
    denial->told = denial->count;
    observer->denial (observer->data, denial);
  }
}

void run_tell_limit (const struct run *run, enum control control, const char *what, uint64_t number)
{
  const struct run_observer *observer = run->options->observer;

  if (observer != NULL)
    observer->limit (observer->data, control, what, number);
}
