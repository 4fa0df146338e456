/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "posture-promises.h"

uint64_t promises_open_files (const struct settings *settings, uint64_t hard)
{
  uint64_t files = settings->values[SETTING_OPEN_FILES].number;

  return hard > 0 && hard < files ? hard : files;
}

struct promises promises_of_plan (const struct plan *plan, const struct launch *launch)
{
  return (struct promises){
    .controls = plan->controls,
    .settings = &plan->settings,
    .filter = plan->filter,
    .run_id = launch->run_id,
    .staged = launch->staged_root != NULL,
    .among_others = plan->backend->has_others,
    .joins_user_namespace = launch->staged_ids || plan->engines_ids,
    .passed_descriptors = launch->passed_descriptors,
    .has_listener = launch->listens,
    .bounds_tools = plan_bounds_tools (plan),
    .root_read_only = plan->root_read_only,
    .user_namespace = plan->user_namespace,
    .network_namespace = plan->network_namespace,
    .uid = plan->uid,
    .gid = plan->gid,
    .uid_maps = launch->uid_maps,
    .gid_maps = launch->gid_maps,
    .uid_map_count = launch->uid_map_count,
    .gid_map_count = launch->gid_map_count,
    .cwd = launch->cwd,
    .hostname = plan->hostname,
    .apparmor = plan->apparmor,
    .env = &launch->env,
    .masked = &launch->masked,
    .read_only = &plan->read_only,
    .engines_own = &plan->engines_own,
    .mounts = launch->mounts,
    .mount_count = launch->mount_count,
    .cgroup = plan->cgroup,
    .swap_limit = plan->swap_limit,
    .cgroup_path = launch->cgroup_path,
    .memory = plan->memory,
    .pids = plan->pids,
    .cpu_quota = plan->cpu_quota,
    .cpu_period = plan->cpu_period,
    .open_files = promises_open_files (&plan->settings, plan->open_files_hard),
    .wall_ms = plan->wall_ms,
    .output_bytes = plan->output_bytes,
    .idle_ms = plan->idle_ms,
    .output_rate = plan->output_rate,
  };
}
