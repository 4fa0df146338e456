/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup of a run, as the kernel holds it: counters, killing, removal.
 *
 * A run has one group, directly below the root of each hierarchy (or below one that was delegated to the user
 * who runs it), named after the run, so that nothing has to be remembered to find it again. Version 1 has a
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
  bool known; /* at least one hierarchy answered */
};

#define CGROUP_DIRECTORIES_MAX 7

/* A run's group, held open: a directory in each hierarchy that limits or counts something. */
struct cgroup {
  enum cgroup_mode mode;
  struct cgroup_directory {
    char *names;   /* the controllers, with commas, as the hierarchy is called; NULL: all, in version 2 */
    char *mounted; /* where the hierarchy is, below the root of all; NULL in version 2 */
    dev_t device;  /* of the hierarchy */
    int above;     /* the directory that it was made in; -1: not by us */
    int fd;
  } directories[CGROUP_DIRECTORIES_MAX];
  size_t count; /* 0: it is not open */
  bool made;    /* by us, in all of them */
};

/* Opens the group PATH as far as it is there, unless GROUP is open already. */
void cgroup_open (enum cgroup_mode mode, const char *path, struct cgroup *group);
void cgroup_close (struct cgroup *group);

#define cleanup_cgroup cleanup (cgroup_close)

/* What the kernel has counted. What cannot be read stays 0. */
void cgroup_count (const struct cgroup *group, struct cgroup_counters *ret_counters);

/* The limits as the kernel holds them, of the group PATH. MEMBERSHIP is /proc/PID/cgroup of the process that
 * should be in it; NULL: none can be named (gVisor's processes are), so the group's having processes must do.
 */
void cgroup_look (const struct cgroup *group, const char *path, const char *membership,
                  struct outside_cgroup *ret_group);

/* Lets frozen processes go on, so that they can end. */
void cgroup_thaw (enum cgroup_mode mode, const char *path);

/* Finds the hierarchies of version 1 that the group of PLAN will be made in, if the command is shown it.
 * *RET_SHOWN are the names of those that have a limit to show. */
int cgroup_find_shown (const struct plan *plan, struct cgroup *group, struct strlist *ret_shown,
                       struct error *err);

/* The five for a run whose group the supervisor makes itself (cgroup-v1.c, delegation.c): but for the first
 * none does anything for another. First: leaves the delegated group, where there is one and we are in it, for
 * a child of ours, and makes and opens the run's. A group that the runtime makes is made beforehand, empty,
 * where the command is shown it: what the stage mounts has to be there. */
int cgroup_make (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                 struct error *err);
/* Has the calling process in the run's group, before it becomes a runtime. */
int cgroup_enter (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                  struct error *err);
/* Sets the limits, once the runtime has done its part and before the command starts. */
int cgroup_limit (const struct plan *plan, const struct launch *launch, const struct cgroup *group,
                  struct error *err);
/* What was used so far is nobody's; where counters cannot be reset, it stays counted. */
void cgroup_forget_usage (const struct plan *plan, const struct launch *launch, const struct cgroup *group);
/* Whether a group that we have made, PATH, is gone by its being empty. If not, what is left is for
 * cgroup_destroy. */
bool cgroup_remove (const struct cgroup *group, const char *path);
/* Returns to the group DELEGATED when no other run is there, so that it is as it was; NULL is none. */
void cgroup_give_back (const char *delegated);

/* Removes the group by its PATH, wherever it is. Where it is not empty: thaws, kills every process, waits
 * until the groups are empty, removes them. Bounded in time. A group that does not exist is no error. */
int cgroup_destroy (enum cgroup_mode mode, const char *path, struct error *err);
