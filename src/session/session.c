/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base-file.h"
#include "journal-result.h"
#include "session-event-sink.h"
#include "session-journal-sink.h"
#include "session-paths.h"
#include "supervisor-prewarmed.h"
#include "supervisor-privileges.h"
#include "supervisor-unconfined.h"

/* How long a run waits for an engine to remove what an earlier run has left there. */
#define LEFT_ENGINE_MS 3000u

struct session {
  const struct session_request *request;
  const struct session_sink *clients;
  struct session_outcome *outcome;
  struct journal_sink journal;
  struct event_sink events;
  struct audit_log_limit limits[AUDIT_LOG_LIMITS]; /* told while the command ran */
  size_t limit_count;
  int captured[3]; /* the command's streams, where they are captured */
};

static void session_clear (struct session *session)
{
  event_sink_clear (&session->events);
  journal_sink_clear (&session->journal);
  for (size_t i = 0; i < ARRAY_LEN (session->captured); i++)
    close_p (&session->captured[i]);
}

void session_outcome_clear (struct session_outcome *outcome)
{
  context_clear (&outcome->context);
  plan_free (outcome->plan);
  run_result_clear (&outcome->result);
  error_clear (&outcome->refused);
  free (outcome->document);
  *outcome = (struct session_outcome){ 0 };
}

/* ---- Events. */

static int tell_clients (struct session *session, struct session_event event, struct error *err)
{
  int r = 0;

  event.run = session->outcome;
  for (const struct session_sink *sink = session->clients; r == 0 && sink != NULL; sink = sink->next)
    r = sink->event (sink->data, &event, err);
  if (r == 0)
    event_sink_event (&session->events, &event);
  return r;
}

static int tell_journal (struct session *session, struct session_event event, struct error *err)
{
  event.run = session->outcome;
  return journal_sink_event (&session->journal, &event, err);
}

/* An event that has happened cannot be refused. */
static void tell_fact (struct session *session, struct session_event event)
{
  cleanup_error struct error ignored = { 0 };

  (void) tell_clients (session, event, &ignored);
}

static void note (struct session *session, const char *text)
{
  tell_fact (session, (struct session_event){ SESSION_NOTE, .note = { text, false } });
}

static void note_at_once (void *data, const char *line)
{
  tell_fact (data, (struct session_event){ SESSION_NOTE, .note = { line, true } });
}

static int on_progress (void *data, const struct image_progress *progress)
{
  tell_fact (data, (struct session_event){ SESSION_PROGRESS, .progress = progress });
  return 0;
}

static int on_start (void *data, const struct posture *posture, struct error *err)
{
  struct session *session = data;
  const struct session_event started = { SESSION_STARTED, .posture = posture };
  int r = tell_journal (session, started, err);

  if (r == 0 && posture != NULL)
    r = tell_clients (session, (struct session_event){ SESSION_POSTURE, .posture = posture }, err);
  return r < 0 ? r : tell_clients (session, started, err);
}

/* ---- While the command runs. */

static void on_denial (void *data, const struct denial *denial)
{
  tell_fact (data, (struct session_event){ SESSION_DENIAL, .denial = denial });
}

static void on_limit (void *data, enum control control, const char *what, uint64_t number)
{
  struct session *session = data;
  const struct audit_log_limit limit = { control, what, number };

  if (session->limit_count < ARRAY_LEN (session->limits))
    session->limits[session->limit_count++] = limit;
  tell_fact (session, (struct session_event){ SESSION_LIMIT, .limit = &limit });
}

static bool limit_was_told (const struct session *session, const struct audit_log_limit *limit)
{
  for (size_t i = 0; i < session->limit_count; i++)
    if (session->limits[i].control == limit->control && strcmp (session->limits[i].what, limit->what) == 0)
      return true;
  return false;
}

static int events_waiting (void *data)
{
  const struct session *session = data;

  return event_queue_waiting (&session->events.queue);
}

static void flush_events (void *data)
{
  struct session *session = data;

  event_queue_flush (&session->events.queue);
}

/* ---- Up to the plan. */

/* Whether the profile has no sandbox, and ceiling and client both allow that. If one does not, plan_build
 * refuses the run with its own message. */
static bool is_unconfined (const struct context *context)
{
  const struct value *type = &context->profile->settings.values[SETTING_ISOLATION_TYPE];
  const struct value *most = &context->ceiling->settings.values[SETTING_ISOLATION_TYPE];

  return type->level == ISOLATION_DISABLED && context->request.unconfined
         && context->ceiling->allow_unconfined
         && (most->state == VALUE_UNSET || most->level == ISOLATION_DISABLED);
}

static int open_journal (struct session *session, struct error *err)
{
  const struct configuration *configuration;
  int r = session_process_configuration (session->request->process, &configuration, err);

  if (r == 0)
    r = configuration_check (configuration, &session->outcome->context.store, err);
  return r < 0
             ? r
             : journal_sink_open (session->request, configuration, session->outcome, &session->journal, err);
}

static int capture (struct session *session, struct error *err)
{
  static const char *const names[] = { "command-in", "command-out", "command-err" };
  const struct session_request *request = session->request;

  for (size_t i = 0; request->capture && i < ARRAY_LEN (names); i++) {
    session->captured[i] = memfd_create (names[i], MFD_CLOEXEC);
    if (session->captured[i] < 0)
      return error_set_errno (err, errno, "create a memory file for the command's streams");
  }
  for (size_t done = 0; done < request->input_len;) {
    ssize_t n = pwrite (session->captured[0], request->input + done, request->input_len - done, (off_t) done);

    if (n < 0 && errno != EINTR)
      return error_set_errno (err, errno, "write the command's input to a memory file");
    done += n > 0 ? (size_t) n : 0;
  }
  return 0;
}

/* Refusals go to the journal as well, so it is opened as soon as its location is known. */
static int open_session (struct session *session, struct error *err)
{
  struct session_outcome *outcome = session->outcome;
  int r = context_open (&outcome->context, session->request, err);

  if (outcome->context.store.ceiling_file != NULL && r != ERROR_USAGE) {
    cleanup_error struct error second = { 0 };
    int opened = open_journal (session, r < 0 ? &second : err);

    r = r < 0 ? r : opened;
  }
  return r;
}

static int prepare (struct session *session, struct error *err)
{
  struct session_outcome *outcome = session->outcome;
  int r = 0;

  if (session->request->host_facts != NULL)
    return error_set (
        err, ERROR_USAGE,
        "--host-facts: nothing can be launched on a host that is only described; add --dry-run");
  r = open_session (session, err);
  if (r < 0)
    return r;
  outcome->unconfined = is_unconfined (&outcome->context);
  if (!outcome->unconfined)
    r = context_plan (&outcome->context, &outcome->plan, err);
  if (r == 0)
    r = capture (session, err);
  if (r == 0)
    r = tell_clients (session, (struct session_event){ .kind = SESSION_PLANNED }, err);
  outcome->planned = r == 0;
  return r < 0 ? r : tell_journal (session, (struct session_event){ .kind = SESSION_PLANNED }, err);
}

/* ---- The run. */

static int execute (struct session *session, struct error *err)
{
  const struct session_request *request = session->request;
  struct session_outcome *outcome = session->outcome;
  const int *streams = request->capture ? session->captured : request->streams;
  const struct run_observer observer = { session, on_denial, on_limit, events_waiting, flush_events };
  cleanup_free char *init = paths_program ("tyrum-oci-init");
  cleanup_free char *helper = paths_program ("tyrum-oci-libcrun-helper");
  uint64_t grace_ms = 0;
  int r = session_request_grace (request, &grace_ms, err);
  const struct run_options options = {
    .host = outcome->context.host,
    .plan = outcome->plan,
    .init = init,
    .cache = outcome->context.host->storage_dir,
    .tell = on_progress,
    .tell_data = session,
    .helper_path = helper,
    .helper_main = request->process->helper,
    .prewarmed = request->process->prewarmed,
    .in = streams[0],
    .out = streams[1],
    .err = streams[2],
    .id = outcome->run,
    .on_start = on_start,
    .on_start_data = session,
    .observer = &observer,
    .cut_output = request->cut_output,
    .wide_output = request->wide_output,
    .last = request->last,
    .grace_ms = grace_ms,
    .keep_override = request->result_directory >= 0 && !privileges_own_directory (request->result_directory),
    .engine_socket = request->engine_socket,
    .pull = request->pull,
    .note = note_at_once,
    .note_data = session,
  };
  struct error left = { 0 };
  unsigned finished;

  if (r < 0)
    return r;
  if (init == NULL || helper == NULL)
    return error_oom (err);
  request->process->prewarmed = NULL;
  /* First remove what earlier runs left; a failure does not prevent this run. For a prewarmed sandbox this
   * was done when it was made. */
  if (options.prewarmed == NULL && run_gc (options.host, LEFT_ENGINE_MS, &finished, &left) < 0)
    error_clear (&left);
  return run_execute (&options, &outcome->result, err);
}

static int execute_unconfined (struct session *session, struct error *err)
{
  int r = on_start (session, NULL, err);

  return r < 0 ? r
               : unconfined_execute (&session->outcome->context.request.argv, &session->outcome->result, err);
}

/* ---- The end. */

/* A captured stream is passed as a mapping of its file. */
static int tell_stream (struct session *session, struct session_output output, struct error *err)
{
  int fd = session->request->capture ? session->captured[output.stream] : -1;
  off_t size = fd >= 0 ? lseek (fd, 0, SEEK_END) : 0;
  char *map = size > 0 ? mmap (NULL, (size_t) size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;

  if (size < 0 || map == MAP_FAILED)
    return error_set_errno (err, errno, "read the command's output");
  output.bytes = map == NULL && fd >= 0 ? "" : map;
  output.len = (size_t) size;
  tell_fact (session, (struct session_event){ SESSION_OUTPUT, .output = output });
  if (map != NULL)
    munmap (map, (size_t) size);
  return 0;
}

static int tell_output (struct session *session, struct error *err)
{
  const struct run_result *result = &session->outcome->result;
  int r = tell_stream (session,
                       (struct session_output){ .stream = 1,
                                                .total = result->out_bytes,
                                                .cut = result->out_cut,
                                                .errnum = result->stream_errno[1] },
                       err);

  return r < 0 ? r
               : tell_stream (session,
                              (struct session_output){ .stream = 2,
                                                       .total = result->err_bytes,
                                                       .cut = result->err_cut,
                                                       .errnum = result->stream_errno[2] },
                              err);
}

static int tell_end (struct session *session, struct error *err)
{
  const struct session_outcome *outcome = session->outcome;
  const struct denials *denials = &outcome->result.denials;
  struct audit_log_limit limits[AUDIT_LOG_LIMITS];
  size_t count = outcome->unconfined ? 0 : audit_log_limits (outcome->plan, &outcome->result, limits);
  int r = tell_output (session, err);

  for (size_t i = 0; i < denials->count; i++)
    if (denials->items[i].told != denials->items[i].count)
      tell_fact (session, (struct session_event){ SESSION_DENIAL, .denial = &denials->items[i] });
  for (size_t i = 0; i < count; i++)
    if (!limit_was_told (session, &limits[i]))
      tell_fact (session, (struct session_event){ SESSION_LIMIT, .limit = &limits[i] });
  tell_fact (session, (struct session_event){ .kind = SESSION_ENDED });
  return r;
}

static void tell_refused (struct session *session)
{
  const struct session_outcome *outcome = session->outcome;
  const struct session_event refused = { SESSION_REFUSED, .refused = &outcome->refused };
  cleanup_error struct error ignored = { 0 };

  (void) tell_journal (session, refused, &ignored);
  if (outcome->ended && outcome->result.posture != NULL)
    tell_fact (session, (struct session_event){ SESSION_POSTURE, .posture = outcome->result.posture });
  tell_fact (session, refused);
}

static void set_refusal (struct session_outcome *outcome)
{
  cleanup_free char *broken = posture_broken_text (outcome->result.posture);

  if (broken == NULL)
    error_oom (&outcome->refused);
  else
    error_set (&outcome->refused, -EPERM,
               "the command was not started: the run does not keep what profile '%s' promises: %s",
               outcome->plan->profile_name, broken);
}

/* The command has run: if the journal cannot be written, its end is still reported. */
static int finish (struct session *session, struct error *err)
{
  cleanup_error struct error late = { 0 };

  session->outcome->ended = true;
  if (session->outcome->result.reason == RUN_REFUSED) {
    set_refusal (session->outcome);
    tell_refused (session);
    return 0;
  }
  if (tell_journal (session, (struct session_event){ .kind = SESSION_ENDED }, &late) < 0)
    note (session, error_text (&late));
  return tell_end (session, err);
}

static void end_events (struct session *session)
{
  cleanup_free char *text = NULL;

  event_sink_end (&session->events);
  if (session->events.queue.failed == 0)
    return;
  text = str_format ("--events: not all of them were written: %s", strerror (session->events.queue.failed));
  note (session, text ? text : "--events: not all of them were written");
}

/* Writes nothing if the request did not reach a run. */
static int write_result (const struct session *session, struct error *err)
{
  const struct session_request *request = session->request;
  struct session_outcome *outcome = session->outcome;
  const struct run_result *result = outcome->ended ? &outcome->result : NULL;
  int r;

  if (!outcome->planned || (outcome->unconfined && !outcome->ended)
      || (!request->document && request->result_directory < 0))
    return 0;
  r = outcome->unconfined
          ? unconfined_result_write (outcome->context.profile, outcome->run, result, &outcome->document, err)
          : result_write (outcome->plan, result, error_is_set (&outcome->refused) ? &outcome->refused : NULL,
                          &outcome->document, err);
  if (r == 0 && request->result_directory >= 0)
    r = file_write_atomic (request->result_directory, request->result_file, outcome->document,
                           strlen (outcome->document), 0600, err);
  return r;
}

int session_refuse (const struct session_request *request, const struct error *why, struct error *err)
{
  cleanup_session_outcome struct session_outcome outcome = { 0 };
  cleanup (session_clear) struct session session = { request, NULL, &outcome, .captured = { -1, -1, -1 } };
  int r = open_session (&session, err);

  return r < 0 && !session.journal.open
             ? r
             : tell_journal (&session, (struct session_event){ SESSION_REFUSED, .refused = why }, err);
}

int session_run (const struct session_request *request, const struct session_sink *sink,
                 struct session_outcome *ret_outcome, struct error *err)
{
  cleanup_session_outcome struct session_outcome own = { 0 };
  cleanup (session_clear) struct session session = { request, sink, ret_outcome ? ret_outcome : &own,
                                                     .captured = { -1, -1, -1 } };
  struct session_outcome *outcome = session.outcome;
  cleanup_error struct error second = { 0 };
  int r;

  event_sink_init (&session.events, request->events);
  r = prepare (&session, err);
  if (r == 0)
    r = outcome->unconfined ? execute_unconfined (&session, err) : execute (&session, err);
  if (r == 0)
    r = finish (&session, err);
  if (r < 0 && !outcome->ended) {
    error_set (&outcome->refused, err->code, "%s", error_text (err));
    tell_refused (&session);
  }
  end_events (&session);
  if (outcome->planned && session.journal.log.note != NULL)
    note (&session, session.journal.log.note);
  /* A failed run has a result document too; its own error takes precedence over one of writing that. */
  if (write_result (&session, r < 0 ? &second : err) < 0 && r == 0)
    r = err->code;
  return r;
}
