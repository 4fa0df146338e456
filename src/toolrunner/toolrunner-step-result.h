/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The answer to a step: a StepResult of Tyrum's, one line of JSON.
 *
 * How the command ended and what it printed goes in, or what the ToolRunner inside answered. The gateway
 * evaluates postconditions on evidence.json, which is what the command printed, or how it ended. It keeps
 * 'error' and 'cost': so the run's result document is in cost.metadata.sandbox, as a summary of at most
 * SANDBOX_SUMMARY_MAX bytes unless all of it is wanted, and what the sandbox denied is also in 'error', after
 * Tyrum's own words for how the command ended.
 *
 * Output of the command is any bytes: what is not UTF-8 becomes U+FFFD. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"
#include "base-str.h"
#include "supervisor-run.h"

#define SANDBOX_SUMMARY_MAX 2048u

/* What is told of the run in cost.metadata.sandbox. */
struct answer_sandbox {
  const char *document;        /* the result document as text */
  bool full;                   /* all of it, with the notes beside it, and not the summary */
  const struct strlist *notes; /* what `run` would print on standard error; NULL: none */
};

struct answer_run {
  const char *command;             /* argv[0], as the payload has it */
  const struct json_node *args;    /* of the action, for the output contract */
  const struct run_result *result; /* NULL: the command did not start */
  const struct error *why;         /* why it did not */
  int end_signal;                  /* by which this process was asked to end before; 0: none */
  uint64_t timeout_ms;
  const char *text[2]; /* standard output and error */
  size_t len[2];
  struct answer_sandbox sandbox;
};

int answer_command (const struct answer_run *run, char **ret_line, struct error *err);

/* A command that could not be executed, found out before anything was started. */
int answer_not_spawned (const char *command, int errnum, char **ret_line, struct error *err);

/* A step that failed without running: "unsupported action type: X". POLICY: a rule is the reason. */
int answer_failure (const char *error, bool policy, char **ret_line, struct error *err);

/* What the ToolRunner inside printed, with what is told of the sandbox. -EBADMSG where it is no
 * StepResult. */
int answer_runner (const char *line, size_t len, const struct answer_sandbox *sandbox, char **ret_line,
                   struct error *err);
