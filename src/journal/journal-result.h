/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of a run as a document: what was asked, how it ended, what it used. */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "profile-profile.h"
#include "supervisor-run.h"

/* What a failure is put down to: "sandbox" where a control denied something that can be why, "unknown" where
 * none was seen to; not every denial can be seen. NULL for a command that did not fail. */
const char *result_cause (const struct run_result *result);

/* RESULT is NULL where the run failed before anything was observed. ERROR says why the command did not run;
 * NULL where it did. */
int result_write (const struct plan *plan, const struct run_result *result, const struct error *error,
                  char **ret_text, struct error *err);

/* Of a command that ran without a sandbox: a document that cannot be taken for another one. */
#define UNCONFINED_REASON                                                                                    \
  "there is no sandbox: nothing is promised, nothing was limited and nothing was observed"

int unconfined_result_write (const struct profile *profile, const char *run, const struct run_result *result,
                             char **ret_text, struct error *err);
