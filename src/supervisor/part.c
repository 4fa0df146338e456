/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists of parts, and the walks over them. */
#include <config.h>

#include "supervisor-part.h"

#include <stdlib.h>

#include "supervisor-internal.h"

extern const struct run_part cgroup_part, cleanup_helper_part, deadline_part, directory_part, engine_part,
    engine_container_part, filter_part, hidden_paths_part, id_range_part, image_root_part, init_part,
    inside_part, listener_part, live_events_part, mask_watch_part, program_part, protected_sources_part,
    runtime_part, signals_part, stage_part, streams_part, terminal_part, watchdog_part;

/* Undone from the last row to the first: the reason for a place is what has to be there when the part is
 * prepared, or what must be gone before it is undone. */

#define PARTS_OF_EVERY_SANDBOX                                                                               \
  &protected_sources_part, /* refuses a run before anything is made on the host */                           \
      &signals_part,       /* before the directory: a signal must not leave one; reaps after all others */   \
      &directory_part,     /* goes when ids and cgroup have gone: with it gc finds what is left of them */   \
      &hidden_paths_part,  /* before the document is made */                                                 \
      &id_range_part,      /* free when no process can have these ids any more */                            \
      &cgroup_part         /* empty when init, the runtime, its helper and the watchdog have ended */

#define PARTS_OF_EVERY_COMMAND                                                                               \
  &init_part,            /* ends init: before the container is removed, before ids are released */           \
      &deadline_part,    /* of the command only */                                                           \
      &watchdog_part,    /* watches init, and must not signal one that is being ended */                     \
      &inside_part,      /* released before init ends, whose end then takes the mounts down */               \
      &live_events_part, /* from the command's start on */                                                   \
      &terminal_part     /* the caller's terminal is usable again before anything can take time */

const struct run_part *const parts_of_programs[] = {
  &mask_watch_part,       /* its marks go at once where their mounts have gone: last */
  &program_part,          /* decides the transport, on which stage and init depend */
  &streams_part,          /* closing a pipe can wait for a process that hangs: nothing else waits for it */
  &image_root_part,       /* before signals are blocked: unpacking can be interrupted; kept while used */
  PARTS_OF_EVERY_SANDBOX, /* */
  &stage_part,            /* its namespaces are needed to delete the container */
  &listener_part,         /* before the filter: one that reports is another program */
  &filter_part,           /* before the document, which contains it */
  &cleanup_helper_part,   /* deletes the container */
  &runtime_part,          /* the document, when all that it names is known; deletes the container */
  PARTS_OF_EVERY_COMMAND, /* */
  NULL
};

const struct run_part *const parts_of_engines[] = {
  &mask_watch_part,       /* as above */
  &engine_part,           /* finds the engine, decides the transport; connected until all is removed */
  &streams_part,          /* as above */
  PARTS_OF_EVERY_SANDBOX, /* */
  &engine_container_part, /* the document, when all that it names is known; removes the container */
  PARTS_OF_EVERY_COMMAND, /* */
  NULL
};

static size_t room_for (const struct run_part *part)
{
  const size_t align = _Alignof(max_align_t);

  return (part->size + align - 1) / align * align;
}

/* The states follow the run, in the order of the list. */
void *run_part_state (const struct run *run, const struct run_part *part)
{
  size_t at = 0;

  for (const struct run_part *const *p = run->driver->parts; *p != NULL; at += room_for (*p++))
    if (*p == part)
      return run->states + at;
  return NULL;
}

struct run *run_allocate (const struct run_driver *driver)
{
  size_t size = 0, at = 0;
  struct run *run;

  for (const struct run_part *const *p = driver->parts; *p != NULL; p++)
    size += room_for (*p);
  run = calloc (1, sizeof (*run) + size);
  if (run == NULL)
    return NULL;
  run->driver = driver;
  run->states = run->room;
  for (const struct run_part *const *p = driver->parts; *p != NULL; at += room_for (*p++))
    if ((*p)->init != NULL)
      (*p)->init (run, run->states + at);
  return run;
}

int run_parts_prepare (struct run *run)
{
  const struct run_part *part;
  int r = 0;

  while (r == 0 && (part = run->driver->parts[run->begun]) != NULL) {
    run->begun++;
    if (part->prepare != NULL)
      r = part->prepare (run, run_part_state (run, part), run->err);
  }
  return r;
}

int run_parts_start (struct run *run)
{
  int r = 0;

  for (const struct run_part *const *p = run->driver->parts; r == 0 && *p != NULL; p++)
    if ((*p)->start != NULL)
      r = (*p)->start (run, run_part_state (run, *p), run->err);
  return r;
}

void run_parts_ended (struct run *run)
{
  for (const struct run_part *const *p = run->driver->parts; *p != NULL; p++)
    if ((*p)->ended != NULL)
      (*p)->ended (run, run_part_state (run, *p));
}

void run_tear_down (struct run *run, struct error *err)
{
  /* Nothing interrupts the tear-down: signals stay blocked and unread. */
  run_leave_signals (run);
  while (run->begun > 0) {
    const struct run_part *part = run->driver->parts[--run->begun];
    struct error failed = { 0 };

    if (part->undo != NULL)
      part->undo (run, run_part_state (run, part), &failed);
    if (error_is_set (&failed) && !error_is_set (err)) {
      error_prefix (&failed, "clean up %s", part->name);
      *err = failed;
    } else
      error_clear (&failed);
  }
}
