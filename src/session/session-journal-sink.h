/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit journal as a sink of every session.
 *
 * It opens the configured journal and writes a run's lines to it. Lines that belong together are appended
 * together, at the event that completes them: the plan with its request, the posture with STARTED or REFUSED,
 * denials and limits with ENDED. A usage error (ERROR_USAGE) is not written.
 *
 * Must never: let a command start that is not in the journal, if the configuration requires one.
 */
#pragma once

#include "journal-audit-log.h"
#include "session-session.h"

struct journal_sink {
  const struct session_request *request;
  struct audit_log log;
  bool open;
  bool requested; /* the request has been written */
};

/* OUTCOME's context must have host and store. Sets OUTCOME's run id. */
int journal_sink_open (const struct session_request *request, const struct configuration *configuration,
                       struct session_outcome *outcome, struct journal_sink *ret_sink, struct error *err);

/* The sink's event function; DATA is the sink. Writes nothing if the sink is not open. */
int journal_sink_event (void *data, const struct session_event *event, struct error *err);

void journal_sink_clear (struct journal_sink *sink);
#define cleanup_journal_sink cleanup (journal_sink_clear)
