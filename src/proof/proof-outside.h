/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at a container from outside: /proc/PID, its cgroup, its siblings.
 *
 * For a launch, right before the judge; and again later for `check`, by whoever asks.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "cgroup-group.h"
#include "posture-outside.h"
#include "posture-promises.h"
#include "state-run-dir.h"

struct outside_subject {
  const struct promises *promises;
  pid_t pid;                  /* init; 0: it is no process of this host */
  const char *init;           /* path of our init */
  const struct cgroup *group; /* the container's, held open; NULL: it is not */
  const struct run_dir
      *dir;          /* its namespaces are written down here, for its siblings; NULL: not a run of ours */
  const char *state; /* where the siblings are */
};

/* In two parts, as there is time for the first while the container is being made: what is around it, the
 * host's mounts and our own namespaces; and the container itself, which is added. Both fail only where memory
 * runs out; what cannot be seen stays unknown. */
int outside_look_around (const struct promises *promises, struct outside *ret_outside, struct error *err);
int outside_look (const struct outside_subject *subject, struct outside *outside, struct error *err);

/* Reads the mount table again. */
void outside_look_mounts (pid_t pid, struct outside *outside);

/* The part that needs no promises: what /proc/PID says. */
int outside_look_process (pid_t pid, struct outside *outside, struct error *err);
