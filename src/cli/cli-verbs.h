/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All verbs, and the dispatch of a command line to its verb. */
#pragma once

#include "options-verb.h"

#if HAVE_DAEMON
#define VERB_IF_DAEMON(VERB) VERB (daemon),
#else
#define VERB_IF_DAEMON(VERB)
#endif

/* The top-level verbs, in the order of the help. */
#define VERBS(VERB)                                                                                          \
  VERB (run), VERB (ps), VERB (kill), VERB (gc), VERB (check), VERB (sandbox_status), VERB (prompt),         \
      VERB (doctor), VERB (spec), VERB (explain), VERB (matrix), VERB (profile), VERB (audit),               \
      VERB (toolrunner), VERB (install_runtime), VERB_IF_DAEMON (VERB) VERB (help)

#define VERB_NAME(name) verb_##name
extern const struct verb VERBS (VERB_NAME);

extern const struct verb verb_audit_list, verb_audit_show, verb_audit_follow, verb_audit_verify;
extern const struct verb verb_profile_list, verb_profile_show, verb_profile_lint, verb_profile_diff,
    verb_profile_schema;

struct session_process;

/* Executes ARGV, the NULL-terminated arguments after the program's name. *RET_VERB is the verb that
 * was found, also on failure. */
int verb_dispatch (struct session_process *process, char *const *argv, const struct verb **ret_verb,
                   struct output *output, struct error *err);

/* Whether a daemon may execute ARGV; false if ARGV is invalid. */
bool verb_is_handed_on (char *const *argv);
