/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every verb, and the way from a command line to the verb that it names. */
#pragma once

#include "options-verb.h"

/* The verbs below the program itself, as help lists them. */
#define VERBS(VERB)                                                                                          \
  VERB (run), VERB (ps), VERB (kill), VERB (gc), VERB (check), VERB (sandbox_status), VERB (prompt),         \
      VERB (doctor), VERB (spec), VERB (explain), VERB (matrix), VERB (profile), VERB (audit),               \
      VERB (toolrunner), VERB (install_runtime), VERB (daemon), VERB (help)

#define VERB_NAME(name) verb_##name
extern const struct verb VERBS (VERB_NAME);

extern const struct verb verb_audit_list, verb_audit_show, verb_audit_follow, verb_audit_verify;
extern const struct verb verb_profile_list, verb_profile_show, verb_profile_lint, verb_profile_diff,
    verb_profile_schema;

struct session_process;

/* Does what ARGV says (the words behind the program's name, NULL-terminated). *RET_VERB is the verb that the
 * words led to, also on failure. */
int verb_dispatch (struct session_process *process, char *const *argv, const struct verb **ret_verb,
                   struct output *output, struct error *err);

/* Whether a daemon that stays may do what ARGV says; what is wrong may not. */
bool verb_is_handed_on (char *const *argv);
