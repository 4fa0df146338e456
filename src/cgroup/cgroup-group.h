/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup of a run in the kernel: counters, killing, removal.
 *
 * A run has one group, directly below the root of each hierarchy (or below one that was delegated to the user
 * who runs it), named after the run, so that it can be found again without a record. Version 1 has a
 * directory for each controller, version 2 one. A run without a group has no path, and nothing to count or
 * remove.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "host-facts.h"
#include "plan-launch.h"
#include "posture-outside.h"

struct cgroup_counters {
  uint64_t cpu_ns;
  uint64_t memory_peak;
  uint64_t oom_kills;
  uint64_t pids_denied;
  uint64_t throttled;
  bool known; /* at least one hierarchy could be read */
};

#define CGROUP_DIRECTORIES_MAX 7

/* A run's group, open: a directory in each hierarchy that limits or counts something. */
struct cgroup {
  enum cgroup_mode mode;
  struct cgroup_directory {
    char *names;   /* the controllers, comma-separated; NULL: all, in version 2 */
    char *mounted; /* the hierarchy's directory below CGROUP_ROOT; NULL in version 2 */
    dev_t device;  /* of the hierarchy */
    int above;     /* the directory that it was made in; -1: we did not make it */
    int fd;
  } directories[CGROUP_DIRECTORIES_MAX];
  size_t count; /* 0: not open */
  bool made;    /* we made it, in all of them */
};

/* Opens the group PATH in the hierarchies where it exists, unless GROUP is open already. */
void cgroup_open (enum cgroup_mode mode, const char *path, struct cgroup *group);
void cgroup_close (struct cgroup *group);

#define cleanup_cgroup cleanup (cgroup_close)

/* Reads the kernel's counters. What cannot be read stays 0. */
void cgroup_count (const struct cgroup *group, struct cgroup_counters *ret_counters);

/* Reads the limits of the group PATH from the kernel. MEMBERSHIP is /proc/PID/cgroup of the process that
 * should be in it; NULL: there is no such process (as with gVisor), and any process in the group counts. */
void cgroup_look (const struct cgroup *group, const char *path, const char *membership,
                  struct outside_cgroup *ret_group);

/* Thaws frozen processes, so that they can end. */
void cgroup_thaw (enum cgroup_mode mode, const char *path);

/* Finds the hierarchies of version 1 in which the group of PLAN will be made, if the command is shown it.
 * *RET_SHOWN are the names of those that have a limit to show. */
int cgroup_find_shown (const struct plan *plan, struct cgroup *group, struct strlist *ret_shown,
                       struct error *err);

/* The next five are for a run whose group the supervisor makes itself (v1.c, delegation.c); only cgroup_make
 * does something for other runs.
 *
 * Makes and opens the run's group. If we are in the delegated group, moves us into a child of it. A group
 * that the runtime sets up is made beforehand, empty, if the command is shown it, because the stage has to
 * mount it.
 */
int cgroup_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                 struct error *err);
/* Moves the calling process into the run's group, before it becomes a runtime. */
int cgroup_enter (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                  struct error *err);
/* Sets the limits, after the runtime has done its part and before the command starts. */
int cgroup_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                  struct error *err);
/* Resets the counters, so that they do not include what was used so far; some cannot be reset. */
void cgroup_forget_usage (const struct plan *plan, const struct launch *launch, const struct cgroup *group);
/* Removes the group PATH that we have made, if it is empty, and returns whether it is gone. Otherwise call
 * cgroup_destroy. */
bool cgroup_remove (const struct cgroup *group, const char *path);
/* Moves back into the group DELEGATED if no other run uses it, and restores it; NULL: nothing to do. */
void cgroup_give_back (const char *delegated);

/* Removes the group PATH in every hierarchy. If it is not empty: thaws, kills every process, waits until the
 * groups are empty, removes them. Limited in time. A missing group is no error. */
int cgroup_destroy (enum cgroup_mode mode, const char *path, struct error *err);
