/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The supervisor's loop: what is served, in which order, for how long, and what a function may do meanwhile.
 */
#include <config.h>

#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "supervisor-event-loop.h"

#define BOUND_MS 10000

struct world {
  struct event_loop loop;
  char calls[32]; /* the names of those that were called, in order */
  struct event *victim;
  bool done, inner;
};

struct one {
  struct event event;
  struct world *world;
  char name;
  int ends[2];
};

static void note (struct one *one)
{
  char *end = one->world->calls + strlen (one->world->calls);

  assert_true (end < one->world->calls + sizeof (one->world->calls) - 1);
  *end = one->name;
}

/* A pipe that has a byte in it, or a time that has come. */
static void make (struct world *world, struct one *one, char name, enum event_rank rank,
                  void (*call) (struct event *event, short revents))
{
  *one = (struct one){ .world = world, .name = name };
  assert_int_equal (pipe (one->ends), 0);
  assert_int_equal (write (one->ends[1], "x", 1), 1);
  one->event =
      (struct event){ .fd = one->ends[0], .events = POLLIN, .rank = rank, .call = call, .data = one };
  event_add (&world->loop, &one->event);
}

static void drop (struct one *one)
{
  event_remove (&one->event);
  close (one->ends[0]);
  close (one->ends[1]);
}

static void take (struct event *event, short revents)
{
  struct one *one = event->data;
  char byte;

  assert_true ((revents & POLLIN) != 0);
  assert_int_equal (read (event->fd, &byte, 1), 1);
  note (one);
}

static void take_last (struct event *event, short revents)
{
  struct one *one = event->data;

  take (event, revents);
  one->world->done = true;
}

static bool is_done (void *data)
{
  return ((const struct world *) data)->done;
}

static bool never (void *data)
{
  (void) data;
  return false;
}

static void serves_by_rank (void **state)
{
  struct world world = { 0 };
  struct one ones[4];

  (void) state;
  make (&world, &ones[0], 'l', EVENT_LAST, take_last);
  make (&world, &ones[1], 'n', EVENT_NORMAL, take);
  make (&world, &ones[2], 'm', EVENT_NORMAL, take);
  make (&world, &ones[3], 'b', EVENT_BYTES, take);
  assert_int_equal (event_loop_run (&world.loop, is_done, &world, run_now_ms () + BOUND_MS), 0);
  assert_string_equal (world.calls, "bnml");
  for (size_t i = 0; i < 4; i++)
    drop (&ones[i]);
  assert_null (world.loop.first);
}

static void remove_victim (struct event *event, short revents)
{
  struct one *one = event->data;

  take (event, revents);
  event_remove (one->world->victim);
  event_remove (event);
}

/* One that was removed is not called any more, although the kernel had told of it in the same turn. */
static void removed_is_not_called (void **state)
{
  struct world world = { 0 };
  struct one ones[2];

  (void) state;
  make (&world, &ones[0], 'a', EVENT_NORMAL, remove_victim);
  make (&world, &ones[1], 'v', EVENT_NORMAL, take);
  world.victim = &ones[1].event;
  assert_int_equal (event_loop_turn (&world.loop, run_now_ms () + BOUND_MS), 0);
  assert_string_equal (world.calls, "a");
  assert_null (world.loop.first);
  drop (&ones[0]);
  drop (&ones[1]);
}

static void wait_inside (struct event *event, short revents)
{
  struct one *one = event->data;

  (void) revents;
  note (one);
  /* Its descriptor is still readable: it must not be called again in here. */
  assert_int_equal (event_loop_run (event->loop, is_done, one->world, run_now_ms () + BOUND_MS), 0);
  one->world->inner = true;
  event_remove (event);
}

static void function_may_wait (void **state)
{
  struct world world = { 0 };
  struct one ones[2];

  (void) state;
  make (&world, &ones[0], 'o', EVENT_NORMAL, wait_inside);
  make (&world, &ones[1], 'i', EVENT_LAST, take_last);
  assert_int_equal (event_loop_turn (&world.loop, run_now_ms () + BOUND_MS), 0);
  assert_string_equal (world.calls, "oi");
  assert_true (world.inner);
  drop (&ones[0]);
  drop (&ones[1]);
}

static void come (struct event *event, short revents)
{
  struct one *one = event->data;

  assert_int_equal (revents, 0);
  note (one);
  event->due = 0;
  one->world->done = true;
}

static void times_come (void **state)
{
  struct world world = { 0 };
  struct one one = { .world = &world, .name = 't' };
  uint64_t now = run_now_ms ();

  (void) state;
  one.event = (struct event){ .fd = -1, .due = now + 30, .call = come, .data = &one };
  event_add (&world.loop, &one.event);
  assert_int_equal (event_loop_run (&world.loop, is_done, &world, now + BOUND_MS), 0);
  assert_string_equal (world.calls, "t");
  assert_true (run_now_ms () >= now + 30);
  event_remove (&one.event);
}

static void wait_ends (void **state)
{
  struct world world = { 0 };
  uint64_t now = run_now_ms ();

  (void) state;
  assert_int_equal (event_loop_run (&world.loop, never, NULL, now + 30), -ETIMEDOUT);
  assert_true (run_now_ms () >= now + 30);
}

static void count_down (struct event *event)
{
  struct one *one = event->data;

  /* Nothing is watched in the first two turns. */
  event->fd = ++one->world->calls[0] < 3 ? -1 : one->ends[0];
}

static void finish (struct event *event, short revents)
{
  struct one *one = event->data;

  (void) revents;
  one->world->done = true;
}

static void is_set_before_each_turn (void **state)
{
  struct world world = { 0 };
  struct one one;

  (void) state;
  make (&world, &one, 's', EVENT_NORMAL, finish);
  one.event.before = count_down;
  for (unsigned i = 0; i < 3; i++) {
    assert_false (world.done);
    assert_int_equal (event_loop_turn (&world.loop, 0), 0);
  }
  assert_true (world.done);
  drop (&one);
}

static void looks_at_one (void **state)
{
  int ends[2];

  (void) state;
  assert_int_equal (pipe (ends), 0);
  assert_int_equal (event_look (ends[0], POLLIN, 0), 0);
  assert_int_equal (event_look (ends[0], POLLIN, 20), 0);
  assert_int_equal (write (ends[1], "x", 1), 1);
  assert_int_equal (event_look (ends[0], POLLIN, BOUND_MS), POLLIN);
  close (ends[0]);
  assert_true ((event_look (ends[1], 0, BOUND_MS) & POLLERR) != 0);
  close (ends[1]);
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (serves_by_rank),    cmocka_unit_test (removed_is_not_called),
  cmocka_unit_test (function_may_wait), cmocka_unit_test (times_come),
  cmocka_unit_test (wait_ends),         cmocka_unit_test (is_set_before_each_turn),
  cmocka_unit_test (looks_at_one),
};

UNIT_MAIN (cases)
