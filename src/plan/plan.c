/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-plan.h"

#include <stdlib.h>

bool plan_mount_has (const struct plan_mount *mount, const char *option)
{
  for (size_t i = 0; i < mount->options.count; i++)
    if (strcmp (mount->options.items[i], option) == 0)
      return true;
  return false;
}

void plan_mount_clear (struct plan_mount *mount)
{
  free (mount->type);
  free (mount->source);
  free (mount->staged);
  free (mount->target);
  strlist_clear (&mount->options);
}

static void clear_lists (struct plan *plan)
{
  for (size_t i = 0; i < plan->mount_count; i++)
    plan_mount_clear (&plan->mounts[i]);
  free (plan->mounts);
  for (size_t i = 0; i < plan->entry_count; i++) {
    free (plan->entries[i].path);
    free (plan->entries[i].text);
  }
  free (plan->entries);
  for (size_t i = 0; i < CONTROL_COUNT; i++)
    free (plan->controls[i].reason);
  strlist_clear (&plan->notes);
  strlist_clear (&plan->argv);
  strlist_clear (&plan->env);
  strlist_clear (&plan->masked);
  strlist_clear (&plan->read_only);
  strlist_clear (&plan->engines_own);
}

char *plan_owner (const struct host_facts *host)
{
  return str_format ("%u:%s", host->uid, host->state_dir);
}

char *plan_filter_path (const char *state, const char *run)
{
  return str_format ("%s/runs/%s/seccomp.json", state, run);
}

char *plan_cgroup_name (const struct plan *plan, const char *run)
{
  /* Directly below the root, so that no parent directory remains after the run. */
  return str_format ("%s/tyrum-oci-%s", plan->cgroup_delegated ? plan->cgroup_delegated : "", run);
}

const struct plan_mount *plan_group_view (const struct plan *plan)
{
  for (size_t i = 0; i < plan->mount_count; i++)
    if (strcmp (plan->mounts[i].type, "cgroup") == 0)
      return &plan->mounts[i];
  return NULL;
}

bool plan_bounds_tools (const struct plan *plan)
{
  const struct plan_control *state = &plan->controls[CONTROL_TOOLS];

  return state->promised && state->enforcement.level != ENFORCEMENT_IMPOSSIBLE;
}

void plan_free (struct plan *plan)
{
  if (plan == NULL)
    return;
  clear_lists (plan);
  settings_clear (&plan->settings);
  filter_free (plan->filter);
  free (plan->profile_name);
  free (plan->profile_file);
  free (plan->runtime);
  free (plan->run_id);
  free (plan->owner);
  free (plan->cwd);
  free (plan->hostname);
  free (plan->apparmor);
  free (plan->filter_path);
  free (plan->root_path);
  free (plan->cgroup_path);
  free (plan->cgroup_delegated);
  free (plan);
}
