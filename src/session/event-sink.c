/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-event-sink.h"

#include <stdlib.h>
#include <string.h>

#include "denial-write.h"
#include "journal-audit-log.h"
#include "journal-journal.h"
#include "journal-result.h"

/* How long the end of a run waits for a reader that does not take the last lines. */
#define DRAIN_MS 1000

void event_sink_init (struct event_sink *sink, int fd)
{
  *sink = (struct event_sink){ 0 };
  event_queue_init (&sink->queue, fd);
}

/* ---- The fields of each event. */

static void write_started (struct json_writer *w, const struct session_outcome *run)
{
  json_string (w, "profile", run->plan ? run->plan->profile_name : run->context.profile->name);
  json_string (w, "digest", run->plan ? run->plan->profile_digest : NULL);
  json_string (w, "backend", run->plan ? run->plan->backend->name : NULL);
}

static void write_ended (struct json_writer *w, const struct run_result *result)
{
  json_integer (w, "code", result->code);
  if (result->signal > 0 && !result->killed)
    json_integer (w, "signal", result->signal);
  else
    json_null (w, "signal");
  json_bool (w, "killed", result->killed);
  json_string (w, "reason", run_reason_text (result->reason));
  json_string (w, "cause", result_cause (result));
  json_number (w, "wall_ms", result->wall_ms);
  json_number (w, "cpu_ms", result->counters.cpu_ns / 1000000);
  json_number (w, "memory_peak", result->counters.memory_peak);
  json_number (w, "stdout_bytes", result->out_bytes);
  json_number (w, "stderr_bytes", result->err_bytes);
}

static void write_refused (struct json_writer *w, const struct error *why)
{
  json_bytes (w, "error", error_text (why), strlen (error_text (why)));
}

static const char *const names[] = {
  [SESSION_REFUSED] = "refused", [SESSION_POSTURE] = "posture", [SESSION_STARTED] = "started",
  [SESSION_DENIAL] = "denial",   [SESSION_LIMIT] = "limit",     [SESSION_ENDED] = "ended",
};

static void write_fields (struct json_writer *w, const struct session_event *event)
{
  switch (event->kind) {
  case SESSION_POSTURE: posture_write (w, "posture", event->posture); break;
  case SESSION_STARTED: write_started (w, event->run); break;
  case SESSION_DENIAL: denial_write_fields (w, event->denial); break;
  case SESSION_LIMIT:
    json_string (w, "control", control_info (event->limit->control)->name);
    json_number (w, event->limit->what, event->limit->number);
    break;
  case SESSION_ENDED: write_ended (w, &event->run->result); break;
  case SESSION_REFUSED: write_refused (w, event->refused); break;
  case SESSION_PLANNED:
  case SESSION_OUTPUT:
  case SESSION_NOTE:
  case SESSION_PROGRESS: break;
  }
}

/* ---- Lines. */

static void begin (struct event_sink *sink, struct json_writer *w, const char *run, const char *name)
{
  char when[JOURNAL_TIME];

  journal_time_text (journal_now (), when);
  json_object_begin (w, NULL);
  json_number (w, "seq", ++sink->seq);
  json_string (w, "time", when);
  json_string (w, "run", run[0] != '\0' ? run : NULL);
  json_string (w, "event", name);
}

static void add (struct event_sink *sink, struct json_writer *w, bool last)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *line = NULL;

  json_object_end (w);
  if (json_finish (w, &line, &ignored) < 0)
    sink->queue.dropped++;
  else
    event_queue_add (&sink->queue, line, strlen (line), last);
}

/* Room for a line that tells how many were dropped. */
#define DROPPED_BYTES 256

static void tell_dropped (struct event_sink *sink, const char *run, bool last)
{
  cleanup_json_writer struct json_writer w = { 0 };
  uint64_t dropped = sink->queue.dropped;

  if (dropped == 0 || !event_queue_has_room (&sink->queue, DROPPED_BYTES, last))
    return;
  sink->queue.dropped = 0;
  begin (sink, &w, run, "dropped");
  json_number (&w, "count", dropped);
  add (sink, &w, last);
}

void event_sink_event (struct event_sink *sink, const struct session_event *event)
{
  const char *name = (size_t) event->kind < ARRAY_LEN (names) ? names[event->kind] : NULL;
  bool last = event->kind == SESSION_ENDED || event->kind == SESSION_REFUSED;
  cleanup_json_writer struct json_writer w = { 0 };

  if (name == NULL || sink->queue.fd < 0)
    return;
  event_queue_flush (&sink->queue);
  tell_dropped (sink, event->run->run, last);
  begin (sink, &w, event->run->run, name);
  write_fields (&w, event);
  add (sink, &w, last);
}

void event_sink_end (struct event_sink *sink)
{
  event_queue_drain (&sink->queue, DRAIN_MS);
}

void event_sink_clear (struct event_sink *sink)
{
  event_queue_clear (&sink->queue);
}
