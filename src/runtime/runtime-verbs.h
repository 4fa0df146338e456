/* What is done for one call of an engine's: one function for each verb that a profile has a say in.
 *
 * Each ends in the low-level runtime, executed in our place or waited for. They return the exit status, or a
 * negative errno with an error that main logs the way engines read.
 */
#pragma once

#include "base-error.h"
#include "runtime-command.h"
#include "runtime-record.h"

struct call {
  const struct command *command;
  const char *program; /* our name: it says the profile */
  const char *config_dir, *data_dir;
  char *state;
  struct record record; /* of the container, where there is one */
  bool known;
};

int verb_create (struct call *call, struct error *err);
int verb_exec (struct call *call, struct error *err);
int verb_update (struct call *call, struct error *err);
int verb_start (struct call *call, struct error *err);
int verb_delete (struct call *call, struct error *err);
int verb_features (struct call *call, struct error *err);
int verb_pass (struct call *call, struct error *err);

/* The low-level runtime of this call: the container's, else the operator's. */
int call_runtime (const struct call *call, char **ret_path, struct error *err);

/* A container's policy: by its record, else by our name. */
struct policy;
int call_policy (const struct call *call, struct policy *policy, struct error *err);

/* The words of the command with the value at VALUE replaced. The words are the caller's, the list is new. */
char **call_replace (const struct call *call, const struct flag_value *value, const char *text,
                     char **ret_word);

/* Says what was changed. */
struct spec_changes;
void call_log_changes (const struct call *call, const struct spec_changes *changes);
