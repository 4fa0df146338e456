/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What Podman's inspect must return for the container of a plan. */
#include <config.h>

#include <string.h>

#include "render-engine-body-internal.h"
#include "render-podman.h"

static int write_maps (struct json_writer *w, const char *key, const struct plan_id_map *maps, size_t count)
{
  json_array_begin (w, key);
  for (size_t i = 0; i < count; i++) {
    cleanup_free char *map = str_format ("%u:%u:%u", maps[i].inside, maps[i].outside, maps[i].count);

    if (map == NULL)
      return -1;
    json_string (w, NULL, map);
  }
  json_array_end (w);
  return 0;
}

static int write_ids (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  if (!plan->user_namespace || plan->engines_ids)
    return 0;
  json_object_begin (w, "IDMappings");
  if (write_maps (w, "UidMap", launch->uid_maps, launch->uid_map_count) < 0
      || write_maps (w, "GidMap", launch->gid_maps, launch->gid_map_count) < 0)
    return -1;
  json_object_end (w);
  return 0;
}

/* Without rlimits and mounts, which Podman shows in another order and form, and the filter, which it does not
 * show. Init observes all three. */
static int write_host_config (struct json_writer *w, const struct plan *plan, const struct launch *launch)
{
  json_object_begin (w, "HostConfig");
  json_bool (w, "Privileged", false);
  json_bool (w, "ReadonlyRootfs", plan->root_read_only);
  json_strings (w, "CapAdd", &plan->settings.values[SETTING_CAPABILITIES].set);
  json_array_begin (w, "SecurityOpt");
  if (plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag)
    json_string (w, NULL, "no-new-privileges");
  json_array_end (w);
  json_array_begin (w, "Devices");
  json_array_end (w);
  json_string (w, "NetworkMode", engine_network (plan));
  json_string (w, "PidMode", "private");
  json_string (w, "UTSMode", "private");
  json_string (w, "CgroupMode", "private");
  json_number (w, "Memory", plan->memory);
  json_number (w, "MemorySwap", plan->swap_limit ? plan->memory : 0);
  json_number (w, "CpuPeriod", plan->cpu_period);
  json_number (w, "CpuQuota", plan->cpu_quota);
  json_number (w, "PidsLimit", plan->pids);
  json_bool (w, "AutoRemove", false);
  if (write_ids (w, plan, launch) < 0)
    return -1;
  json_object_end (w);
  return 0;
}

int render_podman_expect (const struct plan *plan, const struct launch *launch, char **ret_text,
                          struct error *err)
{
  cleanup_json_writer struct json_writer w = { 0 };
  cleanup_free char *user = str_format ("%u:%u", plan->uid, plan->gid);
  const struct strlist *caps = &plan->settings.values[SETTING_CAPABILITIES].set;

  if (user == NULL)
    return error_oom (err);
  json_object_begin (&w, NULL);
  if (plan->apparmor != NULL)
    json_string (&w, "AppArmorProfile", plan->apparmor);
  json_strings (&w, "BoundingCaps", caps);
  json_object_begin (&w, "Config");
  json_string (&w, "Hostname", plan->hostname);
  json_string (&w, "User", user);
  json_string (&w, "WorkingDir", launch->cwd);
  json_bool (&w, "Tty", false);
  json_object_end (&w);
  if (write_host_config (&w, plan, launch) < 0)
    return error_oom (err);
  json_object_end (&w);
  return json_finish (&w, ret_text, err);
}
