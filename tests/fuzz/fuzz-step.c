/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A ToolRunner's payload on any bytes, and what follows it: a step or an error, never both; times and sizes
 * within their bounds; a cwd that stays beneath the workspace. The same bytes as base64, and as the answer of
 * a runner. */
#include <config.h>

#include "toolrunner-step.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-base64.h"
#include "base-path.h"
#include "toolrunner-step-result.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define INVARIANT(condition)                                                                                 \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf (stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                        \
      abort ();                                                                                              \
    }                                                                                                        \
  } while (0)

static void check_command (const struct step *step)
{
  cleanup_step_command struct step_command command = { 0 };
  cleanup_error struct error err = { 0 };
  cleanup_free char *secret = NULL;
  int r = step_find_secret (step, &secret, &err);

  INVARIANT (r == 0 && (secret == NULL || secret[0] != '\0'));
  r = step_command_read (step, &command, &err);
  if (r == 0)
    r = step_command_cwd (step, "/home/gateway", &command, &err);
  INVARIANT ((r == 0) == !error_is_set (&err));
  INVARIANT (r == 0 || r == -EINVAL || r == -EPERM || r == -E2BIG || r == -ENAMETOOLONG);
  if (r < 0)
    return;
  INVARIANT (command.argv.count > 0 && command.argv.items[0][0] != '\0');
  INVARIANT (command.timeout_ms >= 1 && command.timeout_ms <= 300000);
  INVARIANT (command.max_output >= 1 && command.max_output <= 512000);
  INVARIANT (command.cwd[0] == '\0' || path_is_beneath (command.cwd));
}

static void check_step (const char *text, size_t size)
{
  cleanup_step struct step step = { 0 };
  cleanup_error struct error err = { 0 };
  int r = step_parse (text, size, &step, &err);

  INVARIANT ((r == 0) == !error_is_set (&err));
  INVARIANT (r == 0 || (err.message != NULL && strchr (err.message, '\n') == NULL));
  if (r < 0)
    return;
  INVARIANT (step.timeout_ms >= 1 && step.timeout_ms <= 300000);
  INVARIANT (step.type[0] != '\0' && step.args->type == JSON_OBJECT);
  check_command (&step);
}

/* Whatever a runner prints, our answer is one line of JSON or an error. */
static void check_answer (const char *text, size_t size)
{
  const struct answer_sandbox sandbox = { "{\"schema\":\"x\"}", false, NULL };
  cleanup_error struct error err = { 0 };
  cleanup_free char *line = NULL;
  int r = answer_runner (text, size, &sandbox, &line, &err);

  INVARIANT ((r == 0) == (line != NULL));
  INVARIANT (r == 0 || r == -EBADMSG || r == -EINVAL);
  INVARIANT (r < 0 || strchr (line, '\n') == line + strlen (line) - 1);
}

/* The bytes as a command's output; and, where they are JSON, as the schema that they have to match. */
static void check_output (const char *text, size_t size)
{
  static const struct json_limits limits = { 65536, 25, 10000, .comments = false };
  const struct run_result result = { .reason = RUN_EXITED };
  cleanup_strbuf struct strbuf contract = { 0 };
  cleanup_json struct json_node *args = NULL;
  cleanup_error struct error ignored = { 0 }, err = { 0 };
  cleanup_free char *line = NULL;
  struct answer_run run = {
    .command = "c", .result = &result, .text = { text, text }, .len = { size, size }
  };

  strbuf_add (&contract, "{\"__playbook\":{\"output\":{\"type\":\"json\",\"schema\":");
  strbuf_add_bytes (&contract, text, size);
  strbuf_add (&contract, "}}}");
  INVARIANT (!contract.failed);
  if (json_read ("args", contract.text, contract.len, &limits, &args, &ignored) == 0)
    run.args = args;
  run.sandbox.document = "{\"denials\":[]}";
  INVARIANT (answer_command (&run, &line, &err) == 0);
  INVARIANT (strchr (line, '\n') == line + strlen (line) - 1);
  INVARIANT (str_is_utf8 (line, strlen (line)));
}

static void check_base64 (const char *text, size_t size)
{
  cleanup_free char *copy = strndup (text, size);
  cleanup_free char *bytes = NULL;
  cleanup_error struct error err = { 0 };
  size_t len = 0;

  INVARIANT (copy != NULL);
  INVARIANT ((base64_parse (copy, &bytes, &len, &err) == 0) == (bytes != NULL));
  if (bytes != NULL)
    check_step (bytes, len);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *text = (const char *) data;

  check_step (text, size);
  check_answer (text, size);
  check_output (text, size);
  check_base64 (text, size);
  return 0;
}
