/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-prewarmed.h"

#include <string.h>

#include "base-str.h"

const struct plan_mount *plan_workspace (const struct plan *plan)
{
  for (size_t i = 0; i < plan->mount_count; i++)
    if (strcmp (plan->mounts[i].target, PLAN_WORKSPACE) == 0)
      return &plan->mounts[i];
  return NULL;
}

static bool has_mount_in_workspace (const struct plan *plan)
{
  for (size_t i = 0; i < plan->mount_count; i++)
    if (str_has_prefix (plan->mounts[i].target, PLAN_WORKSPACE "/"))
      return true;
  return false;
}

const char *plan_why_not_prewarmed (const struct plan *plan)
{
  const struct value *values = plan->settings.values;

  if (!plan->backend->prewarms)
    return "only the backend libcrun supports it";
  if (plan->unprivileged)
    return "without root a workspace cannot be mounted into an existing sandbox";
  if (plan->root == ROOT_FROM_IMAGE)
    return "the name of an image may refer to another image later";
  if (plan->terminal)
    return "a terminal cannot be added later";
  if (has_mount_in_workspace (plan))
    return "something is mounted in the workspace";
  if (values[SETTING_SECRETS].grants.count > 0)
    return "secrets cannot be mounted later";
  if (plan_bounds_tools (plan))
    return "process.tools may lie in the workspace";
  return NULL;
}
