/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Sandbox section of a system prompt: what a model can and cannot do inside, in plain words.
 *
 * Only what was verified stands in it; what was promised and not verified is named as such. It is never
 * longer than PROMPT_MAX bytes: lists that would make it so are cut, and say so.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "posture-posture.h"

#define PROMPT_MAX 1199u

int prompt_write (const struct plan *plan, const struct posture *posture, char **ret_text, struct error *err);
