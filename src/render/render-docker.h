/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launch of a plan as the body of Docker's POST /containers/create, API 1.41.
 *
 * Pure, and always the same bytes for the same plan and launch. Every field that could loosen the container
 * is set, even if the engine's default is strict: the body is later compared with what the engine reports,
 * and a field that was not sent is not compared. What the engine cannot express is in the table of
 * control-enforcement.h, and was refused or noted when the plan was built.
 */
#pragma once

#include "base-error.h"
#include "plan-launch.h"

int render_docker (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
