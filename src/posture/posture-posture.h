/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The posture of a run: promised against observed, control by control, with one verdict.
 *
 * posture_judge is pure: promises, init's answers and the facts from outside go in. It must never return
 * "verified" without evidence: what was not observed, or could not be read, is unverified; a difference
 * between inside and outside is violated. A required control that is neither verified nor waived prevents the
 * start of the command.
 */
#pragma once

#include <stdbool.h>

#include "base-error.h"
#include "base-json-write.h"
#include "posture-inside.h"
#include "posture-outside.h"
#include "posture-proc.h"
#include "posture-promises.h"

enum verdict {
  VERDICT_UNVERIFIED, /* also the start: nothing is known */
  VERDICT_VERIFIED,
  VERDICT_VIOLATED,
  VERDICT_WAIVED, /* not verified, and waived by the request */
};

enum seen { SEEN_NOT, SEEN_INSIDE, SEEN_OUTSIDE, SEEN_BOTH };

/* Of the whole run. */
enum overall { OVERALL_VERIFIED, OVERALL_PARTIAL, OVERALL_VIOLATED };

struct posture_control {
  bool promised, required;
  enum verdict verdict;
  enum verdict observed; /* the verdict before waiving */
  enum seen seen;
  char *evidence;
  char *rule; /* what promised it: "FILE:LINE", or another text of origin_text */
};

struct posture {
  enum overall overall;
  struct posture_control controls[CONTROL_COUNT];
};

int posture_judge (const struct promises *promises, const struct inside *inside,
                   const struct outside *outside, struct posture **ret_posture, struct error *err);

/* The flags of mount(2) that PROMISES require and MOUNT lacks: MS_NOSUID, MS_NODEV, MS_NOEXEC, and MS_RDONLY
 * for an engine's view of cgroups. */
unsigned long posture_missing_flags (const struct promises *promises, const struct proc_mount *mount);

/* One line for the user: which required controls do not hold, why, and what promised them. NULL: out of
 * memory. */
char *posture_broken_text (const struct posture *posture);

/* {"verdict": ..., "controls": [...]} under KEY. */
void posture_write (struct json_writer *w, const char *key, const struct posture *posture);
/* A table for the user: each promised control, its verdict and evidence. NULL: out of memory. */
char *posture_text (const struct posture *posture);

const char *verdict_text (enum verdict verdict);
const char *overall_text (enum overall overall);
const char *seen_text (enum seen seen);

void posture_free (struct posture *posture);
DEFINE_CLEANUP (struct posture, posture_free)
#define cleanup_posture cleanup (posture_free_p)
