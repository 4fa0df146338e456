/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the targets on engines' documents share: a policy that is made once, from profiles that are part of
 * the target. */
#pragma once

#include "restrict-restrict.h"

/* The policy of a profile that is as strict as can be, on a host where every path is a plain directory. */
const struct spec_policy *fuzz_policy (void);

/* Meets twice: what comes out is a document or one line that says why not, and the second time changes
 * nothing. */
typedef int fuzz_meet (struct json_node *tree, const struct spec_policy *policy, struct spec_changes *changes,
                       struct error *err);
void fuzz_meet_twice (const char *text, size_t len, fuzz_meet *meet);
