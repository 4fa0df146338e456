/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live run, looked at again from outside.
 *
 * The supervisor writes down what it saw when the run was judged (run_facts_write), right before the command
 * gets its go-ahead. Whoever may read the run's directory compares with it later (run_check): the first
 * process, the cgroup, the mount table, and every process of the host that is in the run's cgroup or in any
 * of its namespaces.
 */
#pragma once

#include "base-error.h"
#include "host-facts.h"
#include "posture-drift.h"
#include "state-run-dir.h"

struct run_check {
  char *profile, *backend;
  struct drift drift;
  size_t processes; /* of the run, that were compared */
  size_t unseen;    /* processes of others, of which nobody told us the namespaces */
  bool inside;      /* the run is on this kernel: its processes can be seen */
};

/* Not synced to the disk: a host that went down has no live runs. That it fails is told by run_check. */
void run_facts_write (const struct run_dir *dir, const struct outside *outside);

/* -ESRCH for a run that is not live, or that ends meanwhile. */
int run_check (const struct host_facts *host, const char *id, struct run_check *ret_check, struct error *err);

void run_check_clear (struct run_check *check);
#define cleanup_run_check cleanup (run_check_clear)
