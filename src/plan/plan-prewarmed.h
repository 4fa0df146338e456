/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which plans can use a prewarmed sandbox: one that is created and verified before its command is known.
 *
 * Set later: argv, environment, working directory, the workspace and the paths hidden in it. Independent of
 * the sandbox: deadline and output, which the supervisor enforces, and the required controls, which only the
 * judge reads. All the rest must be equal. Pure.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

#define PLAN_WORKSPACE "/workspace"

/* The mount of the workspace; NULL: there is none. */
const struct plan_mount *plan_workspace (const struct plan *plan);

/* Why PLAN cannot use a prewarmed sandbox; NULL: it can. */
const char *plan_why_not_prewarmed (const struct plan *plan);
