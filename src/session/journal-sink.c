/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-journal-sink.h"

#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "supervisor-prewarmed.h"

void journal_sink_clear (struct journal_sink *sink)
{
  audit_log_clear (&sink->log);
  *sink = (struct journal_sink){ 0 };
}

int journal_sink_open (const struct session_request *request, const struct configuration *configuration,
                       struct session_outcome *outcome, struct journal_sink *ret_sink, struct error *err)
{
  const struct run_prewarmed *prewarmed = request->process->prewarmed;
  int r = audit_log_open (outcome->context.host->storage_dir, configuration, &ret_sink->log, err);

  if (r < 0)
    return r;
  /* A prewarmed sandbox already has the run's directory and id. */
  if (prewarmed != NULL)
    memcpy (ret_sink->log.run, run_prewarmed_id (prewarmed), sizeof (ret_sink->log.run));
  memcpy (outcome->run, ret_sink->log.run, sizeof (outcome->run));
  ret_sink->request = request;
  ret_sink->open = true;
  return 0;
}

/* Labels are of any length; a line of the journal is limited. */
#define LABEL_SHOWN 128

static void write_labels (struct json_writer *w, const void *data)
{
  const struct session_request *request = data;

  json_object_begin (w, request->labels_key);
  for (size_t i = 0; i < SESSION_LABELS && request->labels[i].key != NULL; i++)
    json_bytes (w, request->labels[i].key, request->labels[i].value,
                strnlen (request->labels[i].value, LABEL_SHOWN));
  json_object_end (w);
}

static struct audit_log_request asked_of (const struct journal_sink *sink, const struct session_outcome *run)
{
  const struct session_request *request = sink->request;

  return (struct audit_log_request){ request->via, session_request_profile (request), &run->context.request,
                                     request->labels_key ? write_labels : NULL, request };
}

static void elevation_details (struct json_writer *w, const void *data)
{
  const struct context *context = data;
  const char *command = context->request.argv.items[0];

  json_string (w, "profile", context->profile->name);
  json_string (w, "elevated_by", context->profile->name);
  json_bool (w, "sandbox", false);
  json_bytes (w, "command", command, strnlen (command, LIMIT_NAME_BYTES));
}

static int write_plan (struct journal_sink *sink, const struct session_outcome *run, struct error *err)
{
  const struct audit_log_request asked = asked_of (sink, run);
  cleanup_free char *document = NULL;
  int r;

  if (run->unconfined)
    return audit_log_event (&sink->log, JOURNAL_ELEVATION, elevation_details, &run->context, err);
  r = launch_planned (run->plan, &document, err);
  if (r == 0)
    r = audit_log_planned (&sink->log, &asked, run->context.profile, run->plan, document, err);
  sink->requested = r == 0;
  return r;
}

static int write_refusal (struct journal_sink *sink, const struct session_outcome *run,
                          const struct error *why, struct error *err)
{
  const struct audit_log_request asked = asked_of (sink, run);

  if (why->code == ERROR_USAGE || (run->unconfined && run->planned))
    return 0;
  return audit_log_refused (&sink->log, sink->requested ? NULL : &asked,
                            run->ended ? run->result.posture : NULL, why, err);
}

static void unconfined_details (struct json_writer *w, const void *data)
{
  const struct run_result *result = data;

  json_string (w, "reason", run_reason_text (result->reason));
  json_integer (w, "code", result->code);
  json_number (w, "wall_ms", result->wall_ms);
}

static int write_end (struct journal_sink *sink, const struct session_outcome *run, struct error *err)
{
  return run->unconfined ? audit_log_event (&sink->log, JOURNAL_ENDED, unconfined_details, &run->result, err)
                         : audit_log_ended (&sink->log, run->plan, &run->result, err);
}

int journal_sink_event (void *data, const struct session_event *event, struct error *err)
{
  struct journal_sink *sink = data;

  if (!sink->open)
    return 0;
  switch (event->kind) {
  case SESSION_PLANNED: return write_plan (sink, event->run, err);
  case SESSION_STARTED: return audit_log_started (&sink->log, event->posture, err);
  case SESSION_REFUSED: return write_refusal (sink, event->run, event->refused, err);
  case SESSION_ENDED: return write_end (sink, event->run, err);
  case SESSION_POSTURE:
  case SESSION_DENIAL:
  case SESSION_LIMIT:
  case SESSION_OUTPUT:
  case SESSION_NOTE:
  case SESSION_PROGRESS: break;
  }
  return 0;
}
