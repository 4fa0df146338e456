/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks a live run again from outside.
 *
 * The supervisor writes the facts on which the run was judged (run_facts_write), right before the command
 * starts. run_check compares them later with init, the cgroup, the mount table, and every process of the host
 * that is in the run's cgroup or in any of its namespaces. It needs read access to the run's directory.
 */
#pragma once

#include "base-error.h"
#include "host-facts.h"
#include "posture-drift.h"
#include "state-run-dir.h"

struct run_check {
  char *profile, *backend;
  struct drift drift;
  size_t processes; /* processes of the run that were compared */
  size_t unseen;    /* processes whose namespaces could not be read */
  bool inside;      /* the run is on this kernel, so its processes were compared */
};

/* Not synced to disk: after a crash of the host no run is live. run_check reports a missing file. */
void run_facts_write (const struct run_dir *dir, const struct outside *outside);

/* -ESRCH for a run that is not live, or that ends meanwhile. */
int run_check (const struct host_facts *host, const char *id, struct run_check *ret_check, struct error *err);

void run_check_clear (struct run_check *check);
#define cleanup_run_check cleanup (run_check_clear)
