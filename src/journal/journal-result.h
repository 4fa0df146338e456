/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of a run as JSON: profile, exit, usage, denials, controls and posture. */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "profile-profile.h"
#include "supervisor-run.h"

/* The cause of a failure: "sandbox" if a recorded denial can explain it, else "unknown", because not every
 * denial can be observed. NULL if the command did not fail. */
const char *result_cause (const struct run_result *result);

/* RESULT is NULL if the run failed before anything was observed. ERROR is why the command did not run; NULL
 * if it did. */
int result_write (const struct plan *plan, const struct run_result *result, const struct error *error,
                  char **ret_text, struct error *err);

/* The result of a command that ran without a sandbox. Its posture cannot be mistaken for a verified one. */
#define UNCONFINED_REASON                                                                                    \
  "there is no sandbox: nothing is promised, nothing was limited and nothing was observed"

int unconfined_result_write (const struct profile *profile, const char *run, const struct run_result *result,
                             char **ret_text, struct error *err);
