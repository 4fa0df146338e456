/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sandbox for a run whose command nobody knows yet: what of a command line makes one, and making it.
 *
 * Used by the daemon that stays. The template is what is left of a run's command line without the words,
 * the variables, the workspace and where results go: two runs with the same template can use the same
 * sandbox, which is checked by their plans in the end, not by their words.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "base-str.h"
#include "profile-configuration.h"
#include "session-process.h"

struct prewarmed;

/* Who a workspace belongs to. */
struct prewarmed_owner {
  uid_t uid;
  gid_t gid;
};

/* The template of WORDS, a whole command line behind the program's name, of a caller in DIRECTORY;
 * *RET_PROFILE is the profile that it names. False: it is none, or needs something that a sandbox held ready
 * cannot have. *RET_OWNER is set where it can be told. */
bool prewarmed_template (char *const *words, int directory, const struct configuration *configuration,
                         struct strlist *ret_template, char **ret_profile, struct prewarmed_owner *ret_owner);

/* Makes and proves one, for PROCESS, which stays. */
int prewarmed_make (struct session_process *process, const struct strlist *template,
                    const struct prewarmed_owner *owner, struct prewarmed **ret_prewarmed, struct error *err);

/* Plans a run of PROFILE, and throws the plan away: what plans are made of is kept from then on, for this
 * process and those that it forks. */
void prewarmed_rehearse (struct session_process *process, const char *profile);

/* Whether the same template would make the same sandbox now. */
bool prewarmed_is_current (struct prewarmed *prewarmed);

/* Readable when somebody wants it to end. */
int prewarmed_signals (const struct prewarmed *prewarmed);

/* The next run of the process that it was made for may take it. */
void prewarmed_offer (struct prewarmed *prewarmed);

/* Takes it down, unless a run has taken it over. */
void prewarmed_discard (struct prewarmed *prewarmed);
