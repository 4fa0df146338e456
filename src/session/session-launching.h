/* Carrying a plan out, the same for every verb that launches: our own programs, what earlier runs left, and
 * the audit journal around it all.
 *
 * launching_open comes first, since without a journal there is no run; then one of carry_out and refused.
 * What is asked is told by the verb, the profile as it was asked for, and the context's request.
 *
 * Must never: start a command of which nothing is written, where the operator wants it written.
 */
#pragma once

#include "base-error.h"
#include "journal-audit-log.h"
#include "options-output.h"
#include "session-context.h"
#include "supervisor-run.h"

struct launching {
  const char *via, *profile;
  journal_details *more; /* what the verb adds to the request in the journal; may be NULL */
  const void *more_data;
  struct configuration *configuration;
  struct trail trail;
  const char *engine_socket; /* --engine-socket; NULL: none */
  bool pull;                 /* --pull */
  bool cut_output;           /* the verb's contract is that output is cut, and it tells of that itself */
  bool last;                 /* nothing is launched after it */
  bool keep_override;        /* the verb writes where only a privileged root can */
  bool told;                 /* the journal has the request */
};

void launching_clear (struct launching *launching);
#define cleanup_launching cleanup (launching_clear)

/* VIA is the verb; both texts stay the caller's. CONTEXT needs host and store. */
int launching_open (const struct context *context, const char *via, const char *profile,
                    struct launching *ret_launching, struct error *err);

/* Notes in the journal that WHY ended it. What goes wrong with that must not hide WHY. */
void launching_refused (struct launching *launching, const struct context *context, const struct error *why);

/* Why a result is RUN_REFUSED, in one line. Always fails. */
int launching_refusal (const struct plan *plan, const struct run_result *result, struct error *ret_refusal);

/* Runs the plan's command with these streams (-1: none). Fails as run_execute does. Notes go to OUTPUT. */
int launching_run (struct launching *launching, const struct context *context, struct plan *plan,
                   const int streams[3], struct run_result *ret_result, struct output *output,
                   struct error *err);
