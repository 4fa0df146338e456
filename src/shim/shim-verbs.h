/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One call of an engine: a function for each verb that a profile restricts.
 *
 * Each ends in the low-level runtime, executed in our place or waited for. They return the exit status, or a
 * negative errno with an error that main logs the way engines read.
 */
#pragma once

#include <sys/types.h>

#include "base-error.h"
#include "shim-command.h"
#include "shim-container-record.h"
#include "shim-handover.h"

struct call {
  const struct command *command;
  const char *program; /* our name: it says the profile */
  const char *via;     /* the verb that this call is part of; NULL: its own */
  const char *config_dir, *data_dir;
  char *state;
  struct record record; /* of the container, where there is one */
  bool known;
  bool refused; /* that this call is, is in the journal */
  int code;     /* the container's exit status, as far as we know; -1: we do not */
  int lock;     /* on the container's directory, where that was made already; -1: it was not */
};

int verb_create (struct call *call, struct error *err);
int verb_run_container (struct call *call, struct error *err);
int verb_exec (struct call *call, struct error *err);
int verb_update (struct call *call, struct error *err);
int verb_start (struct call *call, struct error *err);
int verb_delete (struct call *call, struct error *err);
int verb_features (struct call *call, struct error *err);
int verb_pass (struct call *call, struct error *err);

/* The low-level runtime of this call: the container's, else the operator's. */
int call_runtime (const struct call *call, char **ret_path, struct error *err);

/* What the low-level runtime at PATH says of the container of this call. */
enum low_level_answer call_state (const struct call *call, const char *path,
                                  struct low_level_state *ret_state);

/* Takes the container's directory for one that is to be made. A container that lives, or that another
 * process is making, is an error and is not touched. */
int call_take (struct call *call, struct error *err);
/* Gives back the ids and removes the directory, by who has its lock. */
void call_drop (struct call *call);

/* A container's policy: by its record, else by our name. */
struct policy;
int call_policy (const struct call *call, struct policy *policy, struct error *err);

/* The words of the command with the value at VALUE replaced. The words are the caller's, the list is new. */
char **call_replace (const struct call *call, const struct flag_value *value, const char *text,
                     char **ret_word);

/* start, in this process: proof and all. *RET_PID is the container's first process. */
int call_start (struct call *call, pid_t *ret_pid, struct error *err);

/* ---- The journal. */

struct audit;
struct audit_request;
struct posture;
int call_audit (const struct call *call, struct audit *ret_audit, struct error *err);
/* Closes; where the journal could not be written and need not, says so in the log. */
void call_audit_end (const struct call *call, struct audit *audit);
/* Once in a call. What cannot be written is only warned about: WHY is what matters. */
void call_refuse (struct call *call, const struct audit_request *asked, const struct posture *posture,
                  const struct error *why);
/* For a sweep: DATA is a call of which only the directories matter. */
struct record;
void call_lost (const struct record *record, void *data);

/* Says what was changed. */
struct spec_changes;
void call_log_changes (const struct call *call, const struct spec_changes *changes);
