/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trail of one run: its events in the journal, in their order.
 *
 * requested, plan, waivers, elevation and a change of the profile are written before anything is made;
 * posture and started before the command runs; limits and ended, or refused, when it is over. Without a
 * journal that can be written there is no run, unless the operator's configuration says otherwise: then the
 * trail is silent from there on, and says once that it is.
 *
 * Arguments of the command may be anybody's secrets: only its first word is written.
 */
#pragma once

#include "base-error.h"
#include "journal-journal.h"
#include "plan-plan.h"
#include "profile-configuration.h"
#include "state-run-dir.h"
#include "supervisor-run.h"

struct trail {
  struct journal *journal; /* NULL: silent */
  bool required;
  const char
      *container; /* an engine's: its lines name it, and its end is on the disk when the kernel likes */
  char run[RUN_ID_SIZE];
  char *note; /* why it is silent */
};

void audit_log_clear (struct trail *trail);
#define cleanup_audit_log cleanup (audit_log_clear)

/* Makes the run's id. STATE is the directory for what outlives runs. */
int audit_log_open (const char *state, const struct configuration *configuration, struct trail *ret_audit_log,
                    struct error *err);

/* The trail of a container that an engine has, which several processes of ours write one after the other.
 * RUN is NULL for a new id. CONTAINER is not copied. */
int audit_log_open_container (const char *state, const struct configuration *configuration,
                              const char *container, const char *run, struct trail *ret_audit_log,
                              struct error *err);

struct audit_log_request {
  const char *via;     /* the verb */
  const char *profile; /* as it was asked for */
  const struct request *request;
  journal_details *more; /* what the verb has to add; may be NULL */
  const void *more_data;
};

/* DOCUMENT is what the plan became, with nothing of this one run in it. */
int audit_log_planned (struct trail *trail, const struct audit_log_request *asked,
                       const struct profile *profile, const struct plan *plan, const char *document,
                       struct error *err);

/* There is no plan, or none that was carried out. ASKED is NULL where it was written already, POSTURE
 * where nothing was observed. */
int audit_log_refused (struct trail *trail, const struct audit_log_request *asked,
                       const struct posture *posture, const struct error *why, struct error *err);

/* The refusal alone. */
int audit_log_refuse (struct trail *trail, const struct posture *posture, const struct error *why,
                      struct error *err);

/* POSTURE may be NULL. */
int audit_log_started (struct trail *trail, const struct posture *posture, struct error *err);

/* A limit that a run has hit. */
struct audit_log_limit {
  enum control control;
  const char *what; /* the number's name */
  uint64_t number;
};

#define AUDIT_LOG_LIMITS 5

/* How many there are in *RET_LIMITS. */
size_t audit_log_limits (const struct plan *plan, const struct run_result *result,
                         struct audit_log_limit ret_limits[AUDIT_LOG_LIMITS]);

/* With what was denied, and the limits that were hit. */
int audit_log_ended (struct trail *trail, const struct plan *plan, const struct run_result *result,
                     struct error *err);

/* Writes down what the profile NAME is now; a change since its last use becomes an event. */
int audit_log_profile (struct trail *trail, const char *name, const char *digest, struct error *err);

/* Words of others, cut to what a line can hold. */
void audit_log_text (struct json_writer *w, const char *key, const char *text);

/* Events of the run that stand together. */
int audit_log_events (struct trail *trail, struct journal_event *events, size_t count, struct error *err);

/* Any other event of the run. */
int audit_log_event (struct trail *trail, enum journal_kind kind, journal_details *details, const void *data,
                     struct error *err);
