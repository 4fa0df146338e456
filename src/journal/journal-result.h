/* The result of a run as a document: what was asked, how it ended, what it used. */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "supervisor-run.h"

/* What a failure is put down to: "sandbox" where a control denied something that can be why, "unknown" where
 * none was seen to; not every denial can be seen. NULL for a command that did not fail. */
const char *result_cause (const struct run_result *result);

/* RESULT is NULL where the run failed before anything was observed. ERROR says why the command did not run;
 * NULL where it did. */
int result_write (const struct plan *plan, const struct run_result *result, const struct error *error,
                  char **ret_text, struct error *err);
