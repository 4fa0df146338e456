/* The options of run, spec and explain as a request.
 *
 * Reading the options is pure; choosing the root and the backend needs the profile, which may name an image
 * or a runtime for launches that name none. A value that cannot be read is the caller's mistake
 * (CLI_USAGE), whatever the reader's own code for it is.
 */
#pragma once

#include "base-error.h"
#include "options-options.h"
#include "plan-request.h"
#include "profile-ceiling.h"
#include "profile-profile.h"

/* All but command, workspace, root and backend. The caller's environment is taken along whole: the profile
 * decides what passes. */
int request_read (struct request *request, const struct arguments *arguments, struct error *err);

/* DESCRIBED: a directory is taken as it is written, since it is another host's. */
int request_choose_root (struct request *request, const struct arguments *arguments,
                         const struct profile *profile, const struct ceiling *ceiling, bool described,
                         struct error *err);

/* DESCRIBED: what is installed here says nothing about that host. */
int request_choose_backend (struct request *request, const struct arguments *arguments,
                            const struct profile *profile, const struct ceiling *ceiling, bool described,
                            struct error *err);
