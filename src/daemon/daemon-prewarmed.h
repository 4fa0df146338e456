/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A prewarmed sandbox: which options it is made with, making it, and offering it to a run.
 *
 * A template is the command line of a run without command, environment, workspace, deadline and result. Runs
 * with the same template can probably use the same sandbox; the comparison of their plans decides
 * (render-shape.h).
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "base-str.h"
#include "profile-configuration.h"
#include "session-process.h"

struct prewarmed;

/* Of a workspace. */
struct prewarmed_owner {
  uid_t uid;
  gid_t gid;
};

/* The template of ARGV, the caller's command line without the program; DIRECTORY is the caller's.
 * *RET_PROFILE is its profile. False: ARGV is wrong, or no prewarmed sandbox can serve it. *RET_OWNER is set
 * if the workspace's owner can be found without blocking. */
bool prewarmed_template (char *const *argv, int directory, const struct configuration *configuration,
                         struct strlist *ret_template, char **ret_profile, struct prewarmed_owner *ret_owner);

/* Makes and proves a sandbox. PROCESS must outlive it. */
int prewarmed_make (struct session_process *process, const struct strlist *template,
                    const struct prewarmed_owner *owner, struct prewarmed **ret_prewarmed, struct error *err);

/* Builds a plan of PROFILE and discards it, to fill the caches of seccomp lists and filters for this process
 * and its forks. Measured: without them a launch takes 7 % longer, in a prewarmed sandbox 8 %. */
void prewarmed_rehearse (struct session_process *process, const char *profile);

/* Whether the template would give the same sandbox now. */
bool prewarmed_is_current (struct prewarmed *prewarmed);

/* Readable when a signal asks for its end. */
int prewarmed_signals (const struct prewarmed *prewarmed);

/* Lets the next run of its process take it over. */
void prewarmed_offer (struct prewarmed *prewarmed);

/* Removes the sandbox, unless a run has taken it over, and frees the rest. */
void prewarmed_discard (struct prewarmed *prewarmed);
