/* The result of a run as a document: what was asked, how it ended, what it used. */
#pragma once

#include "base-error.h"
#include "plan-plan.h"
#include "run-run.h"

/* RESULT is NULL where the run failed before anything was observed. ERROR says why the command did not run;
 * NULL where it did. */
int result_write (const struct plan *plan, const struct run_result *result, const struct error *error,
                  char **ret_text, struct error *err);
