/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit journal as a sink: the first one that a session has.
 *
 * It opens the journal that the configuration describes and writes a run's lines there. Lines that stand
 * together are appended together, at the event that completes them: the plan with its request, the posture
 * with STARTED or REFUSED, denials and limits with ENDED. A request that is wrong in itself (ERROR_USAGE)
 * is not written.
 *
 * Must never: let a command start of which nothing is written, where the operator wants it written.
 */
#pragma once

#include "journal-audit-log.h"
#include "session-session.h"

struct journal_sink {
  const struct session_request *request;
  struct trail trail;
  bool open;
  bool requested; /* the request is written */
};

/* OUTCOME's context needs host and store; its run gets an id. */
int journal_sink_open (const struct session_request *request, const struct configuration *configuration,
                       struct session_outcome *outcome, struct journal_sink *ret_sink, struct error *err);

/* The event function; DATA is the sink. One that is not open writes nothing. */
int journal_sink_event (void *data, const struct session_event *event, struct error *err);

void journal_sink_clear (struct journal_sink *sink);
#define cleanup_journal_sink cleanup (journal_sink_clear)
