/* What the verbs share. */
#include <config.h>

#include "runtime-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "runtime-handover.h"
#include "runtime-log.h"
#include "runtime-policy.h"

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
  char **words = calloc (command->count + 1, sizeof (*words));

  *ret_word = str_format ("%.*s%s", (int) value->prefix, command->words[value->at], text);
  if (words == NULL || *ret_word == NULL) {
    free (words);
    return NULL;
  }
  memcpy (words, command->words, command->count * sizeof (*words));
  words[value->at] = *ret_word;
  return words;
}

void call_log_changes (const struct call *call, const struct spec_changes *changes)
{
  for (size_t i = 0; i < changes->count; i++) {
    cleanup_free char *line =
        str_format ("tyrum: %s: %s", control_info (changes->items[i].control)->name, changes->items[i].what);

    if (line != NULL)
      log_say (call->command, LOG_LEVEL_INFO, line);
  }
}

int verb_pass (struct call *call, struct error *err)
{
  cleanup_free char *path = NULL;
  int r = call_runtime (call, &path, err);

  return r < 0 ? r : handover_exec (path, call->command->words, err);
}

/* Whether the low-level runtime knows the container. One that it failed to make is gone, whatever delete
 * says. */
static bool is_there (const struct call *call, const char *path)
{
  const struct command *command = call->command;
  cleanup_close int nowhere = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  cleanup_free char **words = calloc (command->verb_at + 3, sizeof (*words));
  cleanup_error struct error ignored = { 0 };
  const char *verb = "state";
  int status = 0;

  if (words == NULL || nowhere < 0)
    return true;
  memcpy (words, command->words, command->verb_at * sizeof (*words));
  memcpy (&words[command->verb_at], &verb, sizeof (verb));
  memcpy (&words[command->verb_at + 1], &command->id, sizeof (command->id));
  return handover_wait (path, words, nowhere, &status, &ignored) < 0 || status == 0;
}

int verb_delete (struct call *call, struct error *err)
{
  cleanup_free char *path = NULL;
  int status = 0;
  int r = call_runtime (call, &path, err);

  if (r == 0)
    r = handover_wait (path, call->command->words, -1, &status, err);
  if (r < 0 || call->command->id == NULL || (status != 0 && is_there (call, path)))
    return r < 0 ? r : status;
  if (call->known)
    record_give_slot (call->state, call->record.slot);
  record_remove (call->state, call->command);
  return status;
}
