/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "plan-prewarmed.h"

#include <stdlib.h>
#include <string.h>

#include "base-str.h"

const struct plan_mount *plan_workspace (const struct plan *plan)
{
  for (size_t i = 0; i < plan->mount_count; i++)
    if (strcmp (plan->mounts[i].target, PLAN_WORKSPACE) == 0)
      return &plan->mounts[i];
  return NULL;
}

/* Whether something is mounted in the workspace. */
static bool reaches_into_workspace (const struct plan *plan)
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
    return "only libcrun's are";
  if (plan->unprivileged)
    return "without root a workspace cannot be put into a sandbox that stands";
  if (plan->root == ROOT_FROM_IMAGE)
    return "an image's name may mean another one by then";
  if (plan->terminal)
    return "a terminal is there from the start";
  if (reaches_into_workspace (plan))
    return "something is mounted in the workspace";
  if (values[SETTING_SECRETS].grants.count > 0)
    return "secrets are mounted from the start";
  if (plan_bounds_tools (plan))
    return "process.tools may lie in the workspace";
  return NULL;
}
