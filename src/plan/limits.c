/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resource limits: those that the cgroup enforces, and those that the supervisor enforces (time, output). */
#include <config.h>

#include "plan-draft-internal.h"

#include <string.h>

/* The kernel's default period. */
#define CPU_PERIOD_US 100000u

/* The kernel refuses a quota below 1 ms. */
#define CPU_QUOTA_MIN_US 1000u

static uint64_t number_of (const struct draft *draft, enum setting setting, uint64_t otherwise)
{
  const struct value *value = draft_value (draft, setting);

  return value_is_set (value) ? value->number : otherwise;
}

static bool enforceable (const struct draft *draft, enum control control)
{
  return draft->plan->controls[control].enforcement.level != ENFORCEMENT_IMPOSSIBLE;
}

int draft_limits (struct draft *draft)
{
  struct plan *plan = draft->plan;
  uint64_t milli = number_of (draft, SETTING_CPUS, 0);

  plan->cgroup = draft->host->cgroup;
  plan->swap_limit = draft->host->swap_accounting;
  if (plan->unprivileged && draft->host->cgroup_delegated != NULL) {
    plan->cgroup_delegated = strdup (draft->host->cgroup_delegated);
    if (plan->cgroup_delegated == NULL)
      return error_oom (draft->err);
    plan->cgroup_ours = true;
  }
  if (enforceable (draft, CONTROL_LIMITS_MEMORY))
    plan->memory = number_of (draft, SETTING_MEMORY, 0);
  if (enforceable (draft, CONTROL_LIMITS_PIDS))
    plan->pids = number_of (draft, SETTING_PIDS, 0);
  if (milli > 0 && enforceable (draft, CONTROL_LIMITS_CPU)) {
    plan->cpu_period = CPU_PERIOD_US;
    plan->cpu_quota = milli * CPU_PERIOD_US / 1000;
    if (plan->cpu_quota < CPU_QUOTA_MIN_US)
      plan->cpu_quota = CPU_QUOTA_MIN_US;
  }
  plan->wall_ms = number_of (draft, SETTING_WALL, 0);
  plan->output_bytes = number_of (draft, SETTING_OUTPUT, UINT64_MAX);
  plan->idle_ms = number_of (draft, SETTING_IDLE, 0);
  plan->output_rate = number_of (draft, SETTING_OUTPUT_RATE, 0);
  plan->output_cut = draft_value (draft, SETTING_OUTPUT_ACTION)->level == OUTPUT_CUT;
  if (plan->unprivileged && plan->cgroup_delegated == NULL)
    return 0;
  plan->cgroup_path = plan_cgroup_name (plan, plan->run_id);
  return plan->cgroup_path ? 0 : error_oom (draft->err);
}
