/* Looking at a container from outside: /proc/PID, its cgroup, its siblings.
 *
 * For a launch, right before the judge; and again later for `check`, by whoever asks.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "cgroup-group.h"
#include "plan-plan.h"
#include "posture-outside.h"
#include "state-run-dir.h"

struct outside_subject {
  const struct plan *plan;
  pid_t pid;                  /* init; 0: it is no process of this host */
  const char *init;           /* path of our init */
  const struct cgroup *group; /* the plan's, held open; NULL: it is not */
  const struct run_dir
      *dir;          /* its namespaces are written down here, for its siblings; NULL: not a run of ours */
  const char *state; /* where the siblings are */
};

/* In two parts, as there is time for the first while the container is being made: what is around it, the
 * host's mounts and our own namespaces; and the container itself, which is added. Both fail only where memory
 * runs out; what cannot be seen stays unknown. */
int outside_look_around (const struct plan *plan, struct outside *ret_outside, struct error *err);
int outside_look (const struct outside_subject *subject, struct outside *outside, struct error *err);

/* Reads the mount table again. */
void outside_look_mounts (pid_t pid, struct outside *outside);

/* The part that needs no plan: what /proc/PID says. */
int outside_look_process (pid_t pid, struct outside *outside, struct error *err);
