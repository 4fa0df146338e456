/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Observes a container from outside: /proc/PID, its cgroup, its siblings.
 *
 * For a launch right before the judge, and again later for `check`.
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
  pid_t pid;                  /* init; 0: not a process of this host */
  const char *init;           /* path of our init */
  const struct cgroup *group; /* the container's, already open; NULL: outside_look opens it */
  const struct run_dir *dir;  /* gets the namespaces, for siblings; NULL: not our run */
  const char *state;          /* directory of live state, with the siblings */
};

/* outside_look_around reads the host's mounts and our own namespaces, which is possible while the container
 * is being created; outside_look adds the container itself. Both fail only without memory; what cannot be
 * read stays unknown. */
int outside_look_around (const struct promises *promises, struct outside *ret_outside, struct error *err);
int outside_look (const struct outside_subject *subject, struct outside *outside, struct error *err);

/* Reads the mount table again. */
void outside_look_mounts (pid_t pid, struct outside *outside);
void outside_look_status (pid_t pid, struct outside *outside);

/* Reads /proc/PID only. */
int outside_look_process (pid_t pid, struct outside *outside, struct error *err);
