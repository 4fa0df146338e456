/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* toolrunner: runs one step of Tyrum, contained. */
#include <config.h>

#include "toolrunner-run-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-base64.h"
#include "base-limits.h"
#include "cli-verbs.h"
#include "session-process.h"
#include "toolrunner-step-result.h"
#include "toolrunner-step.h"

static int read_input (char **ret_text, size_t *ret_len, struct error *err)
{
  cleanup_strbuf struct strbuf text = { 0 };
  char buffer[65536];

  for (;;) {
    ssize_t n = read (STDIN_FILENO, buffer, sizeof (buffer));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set_errno (err, errno, "cannot read the payload from standard input");
    if (n == 0)
      break;
    strbuf_add_bytes (&text, buffer, (size_t) n);
    if (text.len > LIMIT_PAYLOAD_BYTES)
      return error_set (err, CLI_USAGE, "the payload is larger than %zu bytes", LIMIT_PAYLOAD_BYTES);
  }
  *ret_len = text.len;
  *ret_text = strbuf_take (&text);
  return *ret_text ? 0 : error_oom (err);
}

static int read_payload (const struct arguments *arguments, char **ret_text, size_t *ret_len,
                         struct error *err)
{
  const char *encoded = arguments_text (arguments, OPTION_PAYLOAD);
  int r;

  if (encoded == NULL)
    return read_input (ret_text, ret_len, err);
  r = base64_parse (encoded, ret_text, ret_len, err);
  return r < 0 ? error_prefix (err, "--payload-b64") : 0;
}

/* The ToolRunner contract also refuses blank values; the option parser refuses empty ones. */
static int check_blank (const struct arguments *arguments, struct error *err)
{
  static const enum option named[] = { OPTION_HOME, OPTION_DB, OPTION_MIGRATIONS, OPTION_PAYLOAD };

  for (size_t i = 0; i < ARRAY_LEN (named); i++) {
    const char *text = arguments_text (arguments, named[i]);

    if (text != NULL && step_is_blank (text))
      return error_set (err, CLI_USAGE, "option '--%s' has a blank value", option_info (named[i])->name);
  }
  return 0;
}

/* An invalid input is a usage error; running out of memory and I/O errors are not. */
static int mark_input (int result, struct error *err)
{
  if (result < 0 && result != -ENOMEM && result != -EIO)
    err->code = CLI_USAGE;
  return result < 0 ? err->code : 0;
}

static int choose_way (struct toolrunner *toolrunner, struct output *output, struct error *err)
{
  const struct configuration *configuration = toolrunner->configuration;
  const char *file = configuration->file ? configuration->file : "config.json";

  if (configuration->toolrunner_mode == TOOLRUNNER_UNSET)
    return error_set (
        err, -EPERM,
        "the operator's configuration '%s' does not set how steps are contained: set toolrunner.mode to "
        "'runner' or 'command'",
        file);
  if (configuration->toolrunner_mode == TOOLRUNNER_RUNNER)
    return toolrunner_runner (toolrunner, output, err);
  if (!configuration->policy_checked_upstream)
    return error_set (err, -EPERM,
                      "toolrunner.mode 'command' bypasses Tyrum's own policy check: '%s' must set "
                      "policy_checked_upstream: true",
                      file);
  return toolrunner_command (toolrunner, output, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  const struct configuration *configuration = NULL;
  cleanup_step struct step step = { 0 };
  cleanup_free char *payload = NULL;
  struct toolrunner toolrunner = { .given = arguments, .step = &step };
  int r = check_blank (arguments, err);

  if (r == 0)
    r = mark_input (read_payload (arguments, &payload, &toolrunner.payload_len, err), err);
  if (r == 0)
    r = mark_input (step_parse (payload, toolrunner.payload_len, &step, err), err);
  if (r == 0)
    r = session_process_configuration (arguments->process, &configuration, err);
  toolrunner.payload = payload;
  toolrunner.configuration = configuration;
  if (r == 0)
    r = choose_way (&toolrunner, output, err);
  free (toolrunner.workspace);
  return r;
}

static const enum option options[] = {
  OPTION_HOME,      OPTION_DB,      OPTION_MIGRATIONS,    OPTION_PAYLOAD, OPTION_WITH_PARENT,
  OPTION_PROFILE,   OPTION_BACKEND, OPTION_RUNTIME,       OPTION_ROOTFS,  OPTION_IMAGE,
  OPTION_WORKSPACE, OPTION_ENV,     OPTION_MOUNT,         OPTION_SECRET,  OPTION_LIMIT,
  OPTION_TIMEOUT,   OPTION_ACCEPT,  OPTION_ENGINE_SOCKET, OPTION_COUNT
};

const struct verb verb_toolrunner = {
  .path = "toolrunner",
  .summary = "run one step of Tyrum as a ToolRunner, contained",
  .description =
      "Takes the input that Tyrum's gateway passes to a ToolRunner, the step as JSON on standard input "
      "or in --payload-b64, and answers like a ToolRunner: one line of JSON on standard output, a "
      "StepResult, and exit status 0; 2 if the input is wrong, 1 for any other failure.\n\n"
      "The operator's configuration decides how a step is contained: with mode 'runner' the image's own "
      "ToolRunner runs inside; with mode 'command' the command of a CLI step runs inside, in a "
      "workspace separate from the gateway's own files: the directory 'workspace' in its home, unless "
      "another is configured. Options that are shared with run override the configuration. The payload "
      "can only ask for less time and less output.",
  .options = options,
  .handed_on = true,
  .before = verb_follow_parent,
  .run = run,
  .usage_prefix = "toolrunner input error",
  .error_prefix = "toolrunner error",
};
