/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan without what can still be told to a sandbox that stands (plan-prewarmed.h), as text.
 *
 * Two plans with the same text differ in nothing that a sandbox is made by: profile, ids, limits, root,
 * filter, mounts down to device and inode. Made before a plan is staged. Pure.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

int render_shape (const struct plan *plan, char **ret_text, struct error *err);
