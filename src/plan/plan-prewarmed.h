/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan without its command: what a sandbox is made by that is held ready.
 *
 * A sandbox can be made and proven before anybody knows what will run in it, for some things can still be
 * told to it afterwards: the command's words, its variables and directory, and the workspace with what is
 * hidden in it. Others are nothing to it: deadline and output are the supervisor's, and what is required is
 * the judge's. Everything else is the plan. Pure.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

#define PLAN_WORKSPACE "/workspace"

/* The mount of the workspace; NULL: there is none. */
const struct plan_mount *plan_workspace (const struct plan *plan);

/* Why a sandbox of such a plan cannot be held ready; NULL: it can. */
const char *plan_why_not_prewarmed (const struct plan *plan);
