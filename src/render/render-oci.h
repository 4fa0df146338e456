/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launch of a plan as an OCI runtime specification 1.0.2, config.json.
 *
 * Pure, and always the same bytes for the same plan and launch. Only our own annotations are written:
 * runtimes obey some annotations, so none from outside may get in.
 */
#pragma once

#include "base-error.h"
#include "plan-launch.h"

int render_oci (const struct plan *plan, const struct launch *launch, char **ret_text, struct error *err);
