/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a restricted config.json promises, in the form that the judge of our own runs takes.
 *
 * Ids, mounts with the device and inode of each source, covered paths, limits, filter, namespaces. What is
 * left to the engine (decision 0016) is not promised. Pure but for what POLICY's host facts say.
 */
#pragma once

#include "posture-promises.h"
#include "shim-policy.h"

/* Stays where it was filled: the promises point into it, into the policy and into the specification. */
struct promised {
  struct promises promises;
  struct plan_control controls[CONTROL_COUNT];
  struct plan_id_map uid_maps[PLAN_ID_MAPS], gid_maps[PLAN_ID_MAPS];
  struct plan_mount *mounts;
  size_t mount_count;
  struct strlist env, masked, read_only, engines_own;
  char *cwd, *cgroup_path;
};

/* CONFIG is a container's plan (shim-container-plan.h). GROUP is where the container's
 * process is, as /proc/PID/cgroup has it. */
int promised_by_spec (const struct policy *policy, const struct json_node *config, const char *group,
                      struct promised *ret_promised, struct error *err);

void promised_clear (struct promised *promised);
#define cleanup_promised cleanup (promised_clear)
