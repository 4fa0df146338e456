/* A met config.json as a plan, so that the judge of our own runs can judge an engine's container.
 *
 * The plan says what the specification promises: ids, mounts with the device and inode of each source,
 * covered paths, limits, filter, namespaces. What is left to the engine (decision 0030) is not promised. Pure
 * but for what POLICY's host facts say.
 */
#pragma once

#include "plan-plan.h"
#include "shim-policy.h"

/* CONFIG has been met, and the paths of its sources have been looked at. GROUP is where the container's
 * process is, as /proc/PID/cgroup has it. */
int planned_container (const struct policy *policy, const struct json_node *config, const char *group,
                       struct plan **ret_plan, struct error *err);
