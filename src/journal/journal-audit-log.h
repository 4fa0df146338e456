/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit log of one run: its events in the journal, in order.
 *
 * requested, plan, waivers, elevation and profile_changed are written before anything is created; posture and
 * started before the command runs; denials, limits and ended, or refused, at the end. If the journal cannot
 * be written, the run is refused, unless the operator's configuration allows it: then nothing more is logged,
 * and the note gives the reason.
 *
 * The command's arguments may be secrets: only argv[0] and their number are written.
 */
#pragma once

#include "base-error.h"
#include "journal-journal.h"
#include "plan-plan.h"
#include "profile-configuration.h"
#include "state-run-dir.h"
#include "supervisor-run.h"

struct audit_log {
  struct journal *journal; /* NULL: nothing is logged */
  bool required;
  const char *container; /* of an engine: named in each line; its end is not synced. NULL: our own run */
  char run[RUN_ID_SIZE];
  char *note; /* why nothing is logged; NULL: it is */
};

void audit_log_clear (struct audit_log *log);
#define cleanup_audit_log cleanup (audit_log_clear)

/* Also makes the run's id. STATE is the directory of persistent state. */
int audit_log_open (const char *state, const struct configuration *configuration, struct audit_log *ret_log,
                    struct error *err);

/* For a container of an engine, whose events several of our processes write one after the other. RUN is NULL
 * for a new id. CONTAINER is not copied. */
int audit_log_open_container (const char *state, const struct configuration *configuration,
                              const char *container, const char *run, struct audit_log *ret_log,
                              struct error *err);

struct audit_log_request {
  const char *via;     /* the verb */
  const char *profile; /* as requested */
  const struct request *request;
  journal_details *more; /* details of the verb; may be NULL */
  const void *more_data;
};

/* DOCUMENT is the rendered plan, without anything specific to this run. */
int audit_log_planned (struct audit_log *log, const struct audit_log_request *asked,
                       const struct profile *profile, const struct plan *plan, const char *document,
                       struct error *err);

/* The run was refused, before or after planning. ASKED is NULL if it was written already, POSTURE if nothing
 * was observed. */
int audit_log_refused (struct audit_log *log, const struct audit_log_request *asked,
                       const struct posture *posture, const struct error *why, struct error *err);

/* The same without a request. */
int audit_log_refuse (struct audit_log *log, const struct posture *posture, const struct error *why,
                      struct error *err);

/* POSTURE may be NULL. */
int audit_log_started (struct audit_log *log, const struct posture *posture, struct error *err);

/* A limit that a run has hit. */
struct audit_log_limit {
  enum control control;
  const char *what; /* name of the number */
  uint64_t number;
};

#define AUDIT_LOG_LIMITS 6

/* Returns the number of limits in RET_LIMITS. */
size_t audit_log_limits (const struct plan *plan, const struct run_result *result,
                         struct audit_log_limit ret_limits[AUDIT_LOG_LIMITS]);

/* Writes denials, limits that were hit, and the end. */
int audit_log_ended (struct audit_log *log, const struct plan *plan, const struct run_result *result,
                     struct error *err);

/* Records the digest of profile NAME; a change since its last use becomes an event. */
int audit_log_profile (struct audit_log *log, const char *name, const char *digest, struct error *err);

/* Writes a text from outside, truncated to what a line can hold. */
void audit_log_text (struct json_writer *w, const char *key, const char *text);

/* Writes several events of the run together. */
int audit_log_events (struct audit_log *log, struct journal_event *events, size_t count, struct error *err);

/* Writes one event of the run. */
int audit_log_event (struct audit_log *log, enum journal_kind kind, journal_details *details,
                     const void *data, struct error *err);
