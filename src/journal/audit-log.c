/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The audit log of a run or an engine's container: opening, appending, profile changes, posture, refusals. */
#include <config.h>

#include "journal-audit-log.h"

#include <stdlib.h>
#include <string.h>

#include "journal-audit-log-internal.h"

void audit_log_clear (struct audit_log *log)
{
  journal_close (log->journal);
  free (log->note);
  *log = (struct audit_log){ 0 };
}

/* The journal cannot be written: an error if it is required; otherwise nothing more is logged. */
static int give_up (struct audit_log *log, struct error *err)
{
  int r = err->code;

  if (log->required) {
    error_prefix (err, "the audit journal cannot be written");
    return r;
  }
  if (log->note == NULL)
    log->note = str_format ("this run is not in the audit journal: %s", error_text (err));
  error_clear (err);
  journal_close (log->journal);
  log->journal = NULL;
  return 0;
}

int audit_log_open (const char *state, const struct configuration *configuration, struct audit_log *ret_log,
                    struct error *err)
{
  const struct journal_options options = { .state = state,
                                           .max_bytes = configuration->journal_max_bytes,
                                           .keep = configuration->journal_keep,
                                           .sync = configuration->journal_sync };
  struct audit_log log = { .required = configuration->journal_required };
  int r = run_id_make (log.run, err);

  if (r == 0 && journal_open (&options, &log.journal, err) < 0)
    r = give_up (&log, err);
  if (r == 0)
    *ret_log = log;
  return r;
}

int audit_log_open_container (const char *state, const struct configuration *configuration,
                              const char *container, const char *run, struct audit_log *ret_log,
                              struct error *err)
{
  int r = audit_log_open (state, configuration, ret_log, err);

  if (r < 0)
    return r;
  ret_log->container = container;
  if (run != NULL && run_id_is_valid (run))
    memcpy (ret_log->run, run, sizeof (ret_log->run));
  return 0;
}

/* Texts from outside can have any length, but a line cannot. */
#define TEXT_MAX 1024

void audit_log_text (struct json_writer *w, const char *key, const char *text)
{
  json_bytes (w, key, text, strnlen (text, TEXT_MAX));
}

/* Details that begin with the name of a container. */
struct named {
  const char *container;
  journal_details *details;
  const void *data;
};

static void named_details (struct json_writer *w, const void *data)
{
  const struct named *named = data;

  audit_log_text (w, "container", named->container);
  if (named->details != NULL)
    named->details (w, named->data);
}

static int append_named (struct audit_log *log, struct journal_event *events, size_t count, struct error *err)
{
  cleanup_free struct named *named = calloc (count, sizeof (*named));

  if (named == NULL)
    return error_oom (err);
  for (size_t i = 0; i < count; i++) {
    named[i] = (struct named){ log->container, events[i].details, events[i].data };
    events[i].details = named_details;
    events[i].data = &named[i];
  }
  return journal_append (log->journal, events, count, err);
}

int audit_log_events (struct audit_log *log, struct journal_event *events, size_t count, struct error *err)
{
  bool container = log->container != NULL;

  /* The end of a run must be on disk before it is reported. */
  for (size_t i = 0; i < count; i++) {
    events[i].run = log->run;
    events[i].durable = (events[i].kind == JOURNAL_ENDED && !container) || events[i].kind == JOURNAL_REFUSED;
  }
  if (log->journal == NULL
      || (container ? append_named (log, events, count, err)
                    : journal_append (log->journal, events, count, err))
             == 0)
    return 0;
  return give_up (log, err);
}

int audit_log_event (struct audit_log *log, enum journal_kind kind, journal_details *details,
                     const void *data, struct error *err)
{
  struct journal_event event = { .kind = kind, .details = details, .data = data };

  return audit_log_events (log, &event, 1, err);
}

/* ---- The profile. */

void audit_log_change_details (struct json_writer *w, const void *data)
{
  const struct audit_log_change *change = data;

  json_string (w, "profile", change->name);
  json_string (w, "before", change->before);
  json_string (w, "now", change->digest);
}

int audit_log_look_for_change (struct audit_log *log, struct audit_log_change *change, bool *ret_changed,
                               struct error *err)
{
  *ret_changed = false;
  if (log->journal == NULL)
    return 0;
  if (journal_swap_digest (log->journal, change->name, change->digest, change->before, err) < 0)
    return give_up (log, err);
  *ret_changed = change->before[0] != '\0' && strcmp (change->before, change->digest) != 0;
  return 0;
}

int audit_log_profile (struct audit_log *log, const char *name, const char *digest, struct error *err)
{
  struct audit_log_change change = { .name = name, .digest = digest };
  bool changed;
  int r = audit_log_look_for_change (log, &change, &changed, err);

  return r < 0 || !changed
             ? r
             : audit_log_event (log, JOURNAL_PROFILE_CHANGED, audit_log_change_details, &change, err);
}

/* ---- Posture, start and refusal. */

static void write_names (struct json_writer *w, const struct posture *posture, enum verdict verdict)
{
  json_array_begin (w, verdict_text (verdict));
  for (enum control c = 0; c < CONTROL_COUNT; c++)
    if (posture->controls[c].promised && posture->controls[c].verdict == verdict)
      json_string (w, NULL, control_info (c)->name);
  json_array_end (w);
}

/* Counts verified controls, and names all others. */
static void posture_details (struct json_writer *w, const void *data)
{
  const struct posture *posture = data;
  uint64_t verified = 0;

  for (enum control c = 0; c < CONTROL_COUNT; c++)
    verified += posture->controls[c].promised && posture->controls[c].verdict == VERDICT_VERIFIED;
  json_string (w, "verdict", overall_text (posture->overall));
  json_number (w, verdict_text (VERDICT_VERIFIED), verified);
  write_names (w, posture, VERDICT_UNVERIFIED);
  write_names (w, posture, VERDICT_VIOLATED);
  write_names (w, posture, VERDICT_WAIVED);
}

void audit_log_add_posture (struct journal_event *events, size_t *count, const struct posture *posture)
{
  if (posture != NULL)
    events[(*count)++] =
        (struct journal_event){ JOURNAL_POSTURE, .details = posture_details, .data = posture };
}

int audit_log_started (struct audit_log *log, const struct posture *posture, struct error *err)
{
  struct journal_event events[2];
  size_t count = 0;

  audit_log_add_posture (events, &count, posture);
  events[count++] = (struct journal_event){ .kind = JOURNAL_STARTED };
  return audit_log_events (log, events, count, err);
}

void audit_log_refused_details (struct json_writer *w, const void *data)
{
  const char *text = error_text (data);

  audit_log_text (w, "reason", text);
}

int audit_log_refuse (struct audit_log *log, const struct posture *posture, const struct error *why,
                      struct error *err)
{
  struct journal_event events[2];
  size_t count = 0;

  audit_log_add_posture (events, &count, posture);
  events[count++] =
      (struct journal_event){ JOURNAL_REFUSED, .details = audit_log_refused_details, .data = why };
  return audit_log_events (log, events, count, err);
}
