/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adapts the plan to the owner of the engine, which is known only if the engine's socket was found before.
 *
 * A rootless engine runs in a user namespace of its own. It sets no limits on cgroup version 1, and its owner
 * can inspect and enter its containers.
 */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>

/* Lowers the enforcement of CONTROL to LEVEL. An error where CONTROL is required and not waived. */
static int lower_enforcement (struct plan *plan, enum control control, enum enforcement_level level,
                              const char *why, struct error *err)
{
  struct plan_control *state = &plan->controls[control];

  if (!state->promised || state->enforcement.level >= level)
    return 0;
  if (state->required && !state->accepted)
    return error_set (err, -EOPNOTSUPP, "%s is required: %s; %s%s", control_info (control)->name, why,
                      state->waivable ? "waive it with --accept-unenforced "
                                      : "choose another backend: the ceiling requires ",
                      control_info (control)->name);
  state->enforcement = (struct enforcement){ level, BASIS_MEASURED, why };
  return 0;
}

static int drop_limits (struct plan *plan, struct error *err)
{
  static const char why[] = "a rootless engine sets no limits on cgroup version 1";
  int r = 0;

  for (enum control c = CONTROL_LIMITS_MEMORY; r == 0 && c <= CONTROL_LIMITS_CPU; c++)
    r = lower_enforcement (plan, c, ENFORCEMENT_IMPOSSIBLE, why, err);
  plan->memory = plan->pids = plan->cpu_quota = plan->cpu_period = 0;
  return r;
}

static int use_rootless_engine (struct plan *plan, const struct host_facts *host, struct error *err)
{
  plan->user_namespace = plan->engines_ids = true;
  plan->id_slots = 0;
  plan->uid_maps[0] = (struct plan_id_map){ 0, host->uid, 1 };
  plan->gid_maps[0] = (struct plan_id_map){ 0, host->gid, 1 };
  plan->uid_maps[1] = (struct plan_id_map){ 1, host->subuid.first, host->subuid.count };
  plan->gid_maps[1] = (struct plan_id_map){ 1, host->subgid.first, host->subgid.count };
  plan->uid_map_count = host->subuid.count > 0 ? 2 : 1;
  plan->gid_map_count = host->subgid.count > 0 ? 2 : 1;
  return host->cgroup == CGROUP_V2 ? 0 : drop_limits (plan, err);
}

int draft_engine (struct draft *draft)
{
  const struct request *request = draft->request;

  if (draft->host->uid == 0 || !request->engine_found)
    return 0;
  if (request->engine_owner != draft->host->uid)
    return error_set (
        draft->err, -EPERM,
        "the engine belongs to user %u: only root can verify its containers; run as root, or use an engine "
        "of your own",
        request->engine_owner);
  return use_rootless_engine (draft->plan, draft->host, draft->err);
}
