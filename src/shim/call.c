/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the verbs share. */
#include <config.h>

#include "shim-verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "shim-audit.h"
#include "shim-handover.h"
#include "shim-log.h"
#include "shim-policy.h"

int call_runtime (const struct call *call, char **ret_path, struct error *err)
{
  cleanup_policy struct policy policy = { 0 };
  int r;

  if (call->known) {
    *ret_path = strdup (call->record.runtime);
    return *ret_path ? 0 : error_oom (err);
  }
  r = policy_open (&policy, call->config_dir, call->data_dir, err);
  return r < 0 ? r : handover_find (policy.configuration, ret_path, err);
}

int call_policy (const struct call *call, struct policy *policy, struct error *err)
{
  const char *name = call->known ? call->record.profile : policy_name_of (call->program);
  int r;

  if (name == NULL)
    return error_set (
        err, -EINVAL,
        "the name '%s' says no profile; call it by a link named tyrum-PROFILE, such as tyrum-hardened",
        call->program);
  r = policy_open (policy, call->config_dir, call->data_dir, err);
  if (r == 0)
    r = policy_choose (policy, name, call->known ? call->record.annotated : NULL, err);
  policy->spec.container = call->command->id;
  return r;
}

char **call_replace (const struct call *call, const struct flag_value *value, const char *text,
                     char **ret_word)
{
  const struct command *command = call->command;
  char **argv = calloc (command->count + 1, sizeof (*argv));

  *ret_word = str_format ("%.*s%s", (int) value->prefix, command->argv[value->at], text);
  if (argv == NULL || *ret_word == NULL) {
    free (argv);
    return NULL;
  }
  memcpy (argv, command->argv, command->count * sizeof (*argv));
  argv[value->at] = *ret_word;
  return argv;
}

void call_log_changes (const struct call *call, const struct spec_changes *changes)
{
  for (size_t i = 0; i < changes->count; i++) {
    cleanup_free char *line =
        str_format ("tyrum: %s: %s", control_info (changes->items[i].control)->name, changes->items[i].what);

    if (line != NULL)
      log_write (call->command, LOG_LEVEL_INFO, line);
  }
}

int call_audit (const struct call *call, struct audit *ret_audit, struct error *err)
{
  return audit_open (call->config_dir, call->data_dir, call->command->id, call->record.run, ret_audit, err);
}

void call_audit_end (const struct call *call, struct audit *audit)
{
  if (audit->log.note != NULL)
    log_write (call->command, LOG_LEVEL_WARNING, audit->log.note);
  audit_clear (audit);
}

static void warn (const struct call *call, const struct error *err)
{
  cleanup_free char *line = str_format ("tyrum: %s", error_text (err));

  if (line != NULL)
    log_write (call->command, LOG_LEVEL_WARNING, line);
}

void call_refuse (struct call *call, const struct audit_request *asked, const struct posture *posture,
                  const struct error *why)
{
  cleanup_error struct error err = { 0 };
  struct audit audit = { 0 };
  int r = 0;

  if (call->refused)
    return;
  call->refused = true;
  r = call_audit (call, &audit, &err);
  if (r == 0)
    r = audit_refused (&audit, asked, posture, why, &err);
  if (r < 0)
    warn (call, &err);
  call_audit_end (call, &audit);
}

static void write_end (const struct call *call, const char *reason)
{
  cleanup_error struct error err = { 0 };
  struct audit audit = { 0 };
  int r = call_audit (call, &audit, &err);

  if (r == 0)
    r = audit_ended (&audit, reason, call->code, &err);
  if (r < 0)
    warn (call, &err);
  call_audit_end (call, &audit);
}

void call_lost (const struct record *record, void *data)
{
  const struct call *by = data;
  const struct command command = { .id = record->id };
  const struct call call = {
    .command = &command, .config_dir = by->config_dir, .data_dir = by->data_dir, .record = *record, .code = -1
  };

  write_end (&call, "lost");
}

int verb_pass (struct call *call, struct error *err)
{
  cleanup_free char *path = NULL;
  int r = call_runtime (call, &path, err);

  return r < 0 ? r : handover_exec (path, call->command->argv, err);
}

enum low_level_answer call_state (const struct call *call, const char *path,
                                  struct low_level_state *ret_state)
{
  const struct command *command = call->command;
  cleanup_free char **argv = calloc (command->verb_at + 3, sizeof (*argv));
  const char *verb = "state";

  if (argv == NULL)
    return LOW_LEVEL_UNSURE;
  memcpy (argv, command->argv, command->verb_at * sizeof (*argv));
  memcpy (&argv[command->verb_at], &verb, sizeof (verb));
  memcpy (&argv[command->verb_at + 1], &command->id, sizeof (command->id));
  return handover_state (path, argv, call->known ? call->record.runtime_dir : NULL, ret_state);
}

/* One that it failed to make is gone, whatever delete says. */
static bool is_there (const struct call *call, const char *path)
{
  struct low_level_state ignored;

  return (call->known && record_is_being_made (&call->record))
         || call_state (call, path, &ignored) != LOW_LEVEL_GONE;
}

int call_take (struct call *call, struct error *err)
{
  int r = record_make (call->state, call->command, &call->lock, err);

  if (r < 0)
    return r;
  record_clear (&call->record);
  r = record_read_at (call->lock, &call->record, err);
  call->known = r == 0;
  if (r == -ENOENT) {
    error_clear (err);
    return 0;
  }
  if (r == 0 && is_there (call, call->record.runtime))
    r = error_set (err, -EEXIST, "container '%s' is there already", call->command->id);
  if (r < 0) {
    close_p (&call->lock);
    call->lock = -1;
  }
  return r;
}

void call_drop (struct call *call)
{
  cleanup_free char *key = record_key (call->command);

  record_give_slot (call->state, key, call->record.slot);
  call->record.slot = 0;
  record_drop (call->state, call->command, call->lock);
}

/* Meanwhile another call may have deleted the container and made one of the same id. */
static void forget (struct call *call)
{
  cleanup_error struct error ignored = { 0 };
  cleanup_record struct record now = { 0 };
  bool found;

  call->lock = record_hold (call->state, call->command, &now, &found, &ignored);
  if (call->lock >= 0 && found == call->known
      && (!found || (record_is_same (&now, &call->record) && !record_is_being_made (&now)))) {
    if (found)
      write_end (call, call->code >= 0 ? "exited" : "deleted");
    call_drop (call);
  }
  close_p (&call->lock);
  call->lock = -1;
}

int verb_delete (struct call *call, struct error *err)
{
  cleanup_free char *path = NULL;
  int status = 0;
  int r = call_runtime (call, &path, err);

  if (r == 0)
    r = handover_wait (path, call->command->argv, -1, &status, err);
  if (r < 0 || call->command->id == NULL || (status != 0 && is_there (call, path)))
    return r < 0 ? r : status;
  forget (call);
  return status;
}
