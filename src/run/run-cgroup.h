/* The cgroup of a run, as the kernel holds it: counters, killing, removal.
 *
 * A run has one group, directly below the root of each hierarchy (or below our own group where one was
 * delegated), named after the run, so that nothing has to be remembered to find it again. Version 1 has a
 * folder for each controller, version 2 one. A run without a group has no path, and nothing to count or
 * remove.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "host-facts.h"
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

/* Thaws, kills every process, waits until the groups are empty, removes them. Bounded in time. A group that
 * does not exist is no error. */
int cgroup_destroy (enum cgroup_mode mode, const char *path, struct error *err);
