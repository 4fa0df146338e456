/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launch of a plan as the body of Docker's POST /containers/create, API 1.41.
 *
 * Pure, and always the same bytes for the same plan and launch. Everything that could loosen the container is
 * written down, also where the engine's default would be strict: what was sent is later held against what the
 * engine says it has, and a field that was never sent could not be missed. What the engine cannot express is
 * in the table of control-enforcement.h, and was refused or noted when the plan was made.
 */
#pragma once

#include "base-error.h"
#include "plan-launch.h"

int render_docker (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
