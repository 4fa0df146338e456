/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan as text, without what a prewarmed sandbox receives later (plan-prewarmed.h).
 *
 * Two plans with the same text can use the same prewarmed sandbox: profile, ids, limits, root, filter and
 * mounts, by device and inode, are equal. Made before a plan is staged. Pure.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

int render_shape (const struct plan *plan, char **ret_text, struct error *err);
