/* The result of a command that ran without a sandbox, as a document that nobody can take for another one. */
#pragma once

#include "base-error.h"
#include "profile-profile.h"
#include "supervisor-run.h"

#define UNCONFINED_REASON                                                                                    \
  "there is no sandbox: nothing is promised, nothing was limited and nothing was observed"

int unconfined_result_write (const struct profile *profile, const char *run, const struct run_result *result,
                             char **ret_text, struct error *err);
