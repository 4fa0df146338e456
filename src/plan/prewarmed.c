#include <config.h>

#include "plan-prewarmed.h"

#include <stdlib.h>
#include <string.h>

#include "base-str.h"

/* crun sets this one where nobody else does, and what it sets is not ours. */
#define PREWARMED_VARIABLE "HOME=/"

struct plan_mount *plan_workspace (const struct plan *plan)
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

int plan_hold (struct plan *plan, struct error *err)
{
  struct plan_mount *workspace = plan_workspace (plan);

  plan->prewarmed = true;
  strlist_clear (&plan->argv);
  strlist_clear (&plan->env);
  if (strlist_add (&plan->env, PREWARMED_VARIABLE) < 0)
    return error_oom (err);
  if (workspace == NULL)
    return 0;
  free (workspace->source);
  workspace->source = strdup ("");
  workspace->device = workspace->inode = 0;
  return workspace->source ? 0 : error_oom (err);
}

/* Words, variables, the directory, and all that the supervisor alone sees to. */
static void swap_told (struct plan *a, struct plan *b)
{
  struct plan kept = *a;

  a->argv = b->argv;
  a->env = b->env;
  a->cwd = b->cwd;
  a->notes = b->notes;
  a->masked = b->masked;
  a->settings = b->settings;
  memcpy (a->controls, b->controls, sizeof (a->controls));
  a->wall_ms = b->wall_ms;
  a->output_bytes = b->output_bytes;
  a->output_cut = b->output_cut;
  b->argv = kept.argv;
  b->env = kept.env;
  b->cwd = kept.cwd;
  b->notes = kept.notes;
  b->masked = kept.masked;
  b->settings = kept.settings;
  memcpy (b->controls, kept.controls, sizeof (b->controls));
  b->wall_ms = kept.wall_ms;
  b->output_bytes = kept.output_bytes;
  b->output_cut = kept.output_cut;
}

void plan_adopt (struct plan *prewarmed, struct plan *wanted)
{
  struct plan_mount *ours = plan_workspace (prewarmed), *theirs = plan_workspace (wanted);
  struct plan kept;

  swap_told (prewarmed, wanted);
  if (ours != NULL && theirs != NULL) {
    const struct plan_mount empty = *ours;

    ours->source = theirs->source;
    ours->device = theirs->device;
    ours->inode = theirs->inode;
    theirs->source = empty.source;
    theirs->device = empty.device;
    theirs->inode = empty.inode;
  }
  kept = *prewarmed;
  *prewarmed = *wanted;
  *wanted = kept;
}
