/* The cgroup of a run, as the kernel holds it: counters, killing, removal.
 *
 * A run has one group, directly below the root of each hierarchy (or below one that was delegated to the user
 * who runs it), named after the run, so that nothing has to be remembered to find it again. Version 1 has a
 * folder for each controller, version 2 one. A run without a group has no path, and nothing to count or
 * remove.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "host-facts.h"
#include "plan-plan.h"
#include "posture-outside.h"

struct cgroup_counters {
  uint64_t cpu_ns;
  uint64_t memory_peak;
  uint64_t oom_kills;
  uint64_t pids_denied;
  uint64_t throttled;
  bool known; /* at least one hierarchy answered */
};

/* What the kernel has counted. What cannot be read stays 0. */
void cgroup_count (enum cgroup_mode mode, const char *path, struct cgroup_counters *ret_counters);

/* The limits as the kernel holds them. MEMBERSHIP is /proc/PID/cgroup of the process that should be in the
 * group; NULL: none can be named (gVisor's processes are), so the group's having processes must do. */
void cgroup_look (enum cgroup_mode mode, const char *path, const char *membership,
                  struct outside_cgroup *ret_group);

/* Lets frozen processes go on, so that they can end. */
void cgroup_thaw (enum cgroup_mode mode, const char *path);

/* The four for a run whose group the supervisor makes itself (cgroup-v1.c, delegation.c): none does anything
 * for another. First: leaves the delegated group, where there is one and we are in it, for a child of ours,
 * and makes the run's. */
int cgroup_make (const struct plan *plan, struct error *err);
/* Has the calling process in the run's group, before it becomes a runtime. */
int cgroup_enter (const struct plan *plan, struct error *err);
/* Sets the limits, once the runtime has done its part and before the command starts. */
int cgroup_limit (const struct plan *plan, struct error *err);
/* What was used so far is nobody's; where counters cannot be reset, it stays counted. */
void cgroup_forget_usage (const struct plan *plan);
/* Returns to the group DELEGATED when no other run is there, so that it is as it was; NULL is none. */
void cgroup_give_back (const char *delegated);

/* Thaws, kills every process, waits until the groups are empty, removes them. Bounded in time. A group that
 * does not exist is no error. */
int cgroup_destroy (enum cgroup_mode mode, const char *path, struct error *err);
