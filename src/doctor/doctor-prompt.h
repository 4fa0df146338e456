/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Sandbox section of a system prompt: what a model can and cannot do inside.
 *
 * It states only what was verified; promises that were not verified are named as such. It is never longer
 * than PROMPT_MAX bytes: longer lists are truncated, with a count of the rest.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "posture-posture.h"

#define PROMPT_MAX 1199u

int prompt_write (const struct plan *plan, const struct posture *posture, char **ret_text, struct error *err);
