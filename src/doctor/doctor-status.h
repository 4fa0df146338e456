/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the sandbox as documents: what a run under this profile, on this host, was seen to keep.
 *
 * Nothing in them is a declaration: POSTURE comes from a run that was observed a moment ago.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "posture-posture.h"

struct status {
  const struct plan *plan;
  const struct posture *posture;
  const char *runtime; /* name and version of what carried it out; NULL: not known */
};

/* {"sandbox": {"hardening_profile": ..., "backend": ..., "posture": {...}}} */
int status_write (const struct status *status, char **ret_text, struct error *err);

/* The five fields of Tyrum's /status.sandbox and no other, since its client refuses more. It has only the
 * names baseline and hardened, so any other profile is an error; so is a posture that is violated. */
int status_write_tyrum (const struct status *status, char **ret_text, struct error *err);

/* How many controls are promised, and verified. */
void status_count (const struct posture *posture, unsigned *ret_promised, unsigned *ret_verified);
