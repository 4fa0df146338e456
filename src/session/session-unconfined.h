/* run without a sandbox: what has to be granted for it, the banner, the journal, the result. */
#pragma once

#include "base-error.h"
#include "options-options.h"
#include "options-output.h"
#include "session-context.h"
#include "session-launching.h"

/* Whether the profile switches the sandbox off, and both the ceiling and the command line mean it. Where one
 * of them does not, there is a plan to be made, which refuses it in its own words. */
bool unconfined_is_granted (const struct context *context);

/* DIRECTORY is that of the file for the result, or -1. */
int unconfined_run (const struct context *context, struct launching *launching,
                    const struct arguments *arguments, int directory, struct output *output,
                    struct error *err);
