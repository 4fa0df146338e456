/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The answer to a step: a StepResult of Tyrum's, one line of JSON.
 *
 * How the command ended and what it said goes in, or what the ToolRunner inside answered. Our own result
 * document rides in cost.metadata.sandbox, and what the sandbox denied stands in short form in the error:
 * these are the places that the gateway keeps.
 *
 * Output of the command is any bytes: what is not UTF-8 becomes U+FFFD. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base-error.h"
#include "base-json-read.h"
#include "supervisor-run.h"

struct answer_output {
  const char *text[2]; /* standard output and error */
  size_t len[2];
};

/* RESULT is NULL where the command did not start; WHY then says why. SANDBOX is the result document as text.
 */
int answer_command (const struct run_result *result, const struct error *why, uint64_t timeout_ms,
                    const struct answer_output *said, const char *sandbox, char **ret_line,
                    struct error *err);

/* A step that failed without running: "unsupported action type: X". POLICY: a boundary was in the way. */
int answer_failure (const char *error, bool policy, char **ret_line, struct error *err);

/* What the ToolRunner inside printed, with our document put into it. -EBADMSG where it is no StepResult. */
int answer_runner (const char *line, size_t len, const char *sandbox, char **ret_line, struct error *err);
