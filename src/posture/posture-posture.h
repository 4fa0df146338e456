/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The posture of a run: promised against observed, control by control, with one verdict.
 *
 * posture_judge is pure: what was promised, what init answered, and what was seen from outside go in. It must
 * never say "verified" without evidence: what was not seen, or could not be read, is unverified; what inside
 * and outside see differently is violated. A required control that is neither verified nor waived stops the
 * command.
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
  VERDICT_WAIVED, /* not verified, and the request goes on without it by name */
};

enum seen { SEEN_NOT, SEEN_INSIDE, SEEN_OUTSIDE, SEEN_BOTH };

/* Of the whole run. */
enum overall { OVERALL_VERIFIED, OVERALL_PARTIAL, OVERALL_VIOLATED };

struct posture_control {
  bool promised, required;
  enum verdict verdict;
  enum verdict observed; /* the same before it was waived */
  enum seen seen;
  char *evidence;
  char *rule; /* what promised it: "FILE:LINE", or as origin_text has it */
};

struct posture {
  enum overall overall;
  struct posture_control controls[CONTROL_COUNT];
};

int posture_judge (const struct promises *promises, const struct inside *inside,
                   const struct outside *outside, struct posture **ret_posture, struct error *err);

/* The flags of mount(2) that MOUNT should have by PROMISES and has not: MS_NOSUID, MS_NODEV, MS_NOEXEC, and
 * MS_RDONLY of an engine's view of cgroups. */
unsigned long posture_missing_flags (const struct promises *promises, const struct proc_mount *mount);

/* One line for people: which required controls do not hold, why, and what promised them. NULL when memory ran
 * out. */
char *posture_broken_text (const struct posture *posture);

/* {"verdict": ..., "controls": [...]} under KEY. */
void posture_write (struct json_writer *w, const char *key, const struct posture *posture);
/* A table for people: each promised control, its verdict and evidence. NULL when memory ran out. */
char *posture_text (const struct posture *posture);

const char *verdict_text (enum verdict verdict);
const char *overall_text (enum overall overall);
const char *seen_text (enum seen seen);

void posture_free (struct posture *posture);
DEFINE_CLEANUP (struct posture, posture_free)
#define cleanup_posture cleanup (posture_free_p)
