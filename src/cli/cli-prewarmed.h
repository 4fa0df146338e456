/* A sandbox for a run whose command nobody knows yet: what of a command line makes one, and making it.
 *
 * Used by the launcher that stays. The template is what is left of a run's command line without the words,
 * the variables, the workspace and where results go: two runs with the same template can use the same
 * sandbox, which is checked by their plans in the end, not by their words.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "base-str.h"
#include "profile-configuration.h"

struct held;

/* Who a workspace belongs to. */
struct held_owner {
  uid_t uid;
  gid_t gid;
};

/* The template of WORDS, a whole command line behind the program's name, of a caller in FOLDER; *RET_PROFILE
 * is the profile that it names. False: it is none, or needs something that a sandbox held ready cannot have.
 * *RET_OWNER is set where it can be told. */
bool held_template (char *const *words, int folder, const struct configuration *configuration,
                    struct strlist *ret_template, char **ret_profile, struct held_owner *ret_owner);

/* Makes and proves one. */
int held_make (const struct strlist *template, const struct held_owner *owner, struct held **ret_held,
               struct error *err);

/* Plans a run of PROFILE, and throws the plan away: what plans are made of is kept from then on, for this
 * process and those that it forks. */
void held_rehearse (const char *profile);

/* Whether the same template would make the same sandbox now. */
bool held_is_current (struct held *held);

/* Readable when somebody wants it to end. */
int held_signals (const struct held *held);

/* The next run of this process may take it. */
void held_offer (struct held *held);

/* Takes it down, unless a run has taken it over. */
void held_discard (struct held *held);
