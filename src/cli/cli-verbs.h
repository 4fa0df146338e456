/* Every verb, and the way from a command line to the verb that it names. */
#pragma once

#include "options-verb.h"

extern const struct verb verb_install_runtime, verb_daemon;
extern const struct verb verb_ps, verb_kill, verb_gc, verb_audit, verb_toolrunner;
extern const struct verb verb_check;
extern const struct verb verb_audit_list, verb_audit_show, verb_audit_follow, verb_audit_verify;
extern const struct verb verb_sandbox_status, verb_prompt, verb_doctor;
extern const struct verb verb_run, verb_spec, verb_explain, verb_matrix, verb_profile, verb_help;
extern const struct verb verb_profile_list, verb_profile_show, verb_profile_lint, verb_profile_diff,
    verb_profile_schema;

/* Does what ARGV says (the words behind the program's name, NULL-terminated). *RET_VERB is the verb that the
 * words led to, also on failure. */
int verb_dispatch (char *const *argv, const struct verb **ret_verb, struct output *output, struct error *err);

/* Whether a daemon that stays may do what ARGV says; what is wrong may not. */
bool verb_is_handed_on (char *const *argv);
