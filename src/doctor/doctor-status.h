/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the sandbox as a document: what a run under this profile was observed to enforce on this host.
 *
 * Nothing in it is a declaration: POSTURE comes from a run that was just observed.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "posture-posture.h"

struct status {
  const struct plan *plan;
  const struct posture *posture;
  const char *runtime; /* name and version of the runtime; NULL: unknown */
};

/* {"sandbox": {"hardening_profile": ..., "backend": ..., "posture": {...}}} */
int status_write (const struct status *status, char **ret_text, struct error *err);

/* Exactly the five fields of Tyrum's /status.sandbox, because its client refuses others. It knows only the
 * names baseline and hardened, so any other profile is an error; so is a violated posture. */
int status_write_tyrum (const struct status *status, char **ret_text, struct error *err);

/* How many controls are promised, and verified. */
void status_count (const struct posture *posture, unsigned *ret_promised, unsigned *ret_verified);
