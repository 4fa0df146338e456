/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A part of a run: one thing that a run has, with all that it opens, allocates, forks or leaves on the host.
 *
 * A driver has a list of parts (part.c), in the order in which they are prepared. The supervisor walks the
 * list, and a new part is one file and one row. A part presets its own state, registers its events with the
 * loop (supervisor-event-loop.h), and closes what it has opened. While the command runs, loop.c and
 * explain.c also call the parts that are about the command: streams, deadline, watchdog, mask watch.
 *
 *   init     when the run is allocated. Presets STATE, which is zeroed, and a pointer to it in the run where
 *            other files use that state.
 *   prepare  in the order of the list, before the container exists. The first failure ends the run.
 *            After the last one the driver makes and starts the container, and the proof takes place.
 *   start    in the order of the list: the sandbox is proven, the command is about to start, and privileges
 *            are not dropped yet. A failure prevents the command.
 *   ended    in the order of the list, once: the command has ended, its counters and mounts are still there.
 *            Not called for a run whose command was not started.
 *   undo     on every path, in reverse order, for each part whose prepare was begun, and once. It takes
 *            half-made state. What could not be removed goes to ERR; the other parts are undone all the same.
 *
 * Any of them may be NULL. A prewarmed sandbox is prepared with the options of its owner, and started, ended
 * and undone with those of the run that adopts it: the state stays, and OPTIONS are read when they are used.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

struct run;

struct run_part {
  const char *name; /* for messages about its clean-up */
  size_t size;      /* of the state */
  void (*init) (struct run *run, void *state);
  int (*prepare) (struct run *run, void *state, struct error *err);
  int (*start) (struct run *run, void *state, struct error *err);
  void (*ended) (struct run *run, void *state);
  void (*undo) (struct run *run, void *state, struct error *err);
};

/* The lists of the two drivers, which end with NULL. */
extern const struct run_part *const parts_of_programs[], *const parts_of_engines[];

/* The state of PART; NULL where the run has no such part. */
void *run_part_state (const struct run *run, const struct run_part *part);
