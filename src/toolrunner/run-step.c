/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-run-step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "base-path.h"
#include "options-session.h"
#include "toolrunner-step-result.h"

/* Where the workspace is inside. */
#define INSIDE "/workspace"

/* The ToolRunner inside keeps the step's time itself; it gets this much more to start and to answer. */
#define RUNNER_EXTRA_MS 5000u

/* One run of a step, and what came of it. */
struct job {
  const struct toolrunner *toolrunner;
  struct session_request request;
  struct session_outcome run;
  char *text[3]; /* what the command wrote, by stream */
  size_t len[3];
};

static void job_clear (struct job *job)
{
  session_outcome_clear (&job->run);
  for (size_t i = 0; i < ARRAY_LEN (job->text); i++)
    free (job->text[i]);
}
#define cleanup_job cleanup (job_clear)

/* ---- The request. */

void toolrunner_complete (struct session_request *request, const struct configuration *c)
{
  bool backend = request->backend != NULL || request->runtime != NULL;
  bool root = request->image != NULL || request->rootfs != NULL;

  if (request->profile == NULL)
    request->profile = c->profile;
  if (!backend) {
    request->backend = c->backend;
    request->runtime = c->runtime;
  }
  if (!root) {
    request->image = c->image;
    request->rootfs = c->rootfs;
  }
}

static bool has_started (const struct job *job)
{
  return !error_is_set (&job->run.refused);
}

static void open_job (struct job *job, const struct strlist *argv)
{
  const struct step *step = job->toolrunner->step;

  job->request = request_of_arguments (job->toolrunner->given, "toolrunner");
  toolrunner_complete (&job->request, job->toolrunner->configuration);
  job->request.argv = argv;
  job->request.workspace = job->toolrunner->workspace;
  job->request.labels_key = "step";
  job->request.labels[0] = (struct session_label){ "turn_id", step->turn_id };
  job->request.labels[1] = (struct session_label){ "step_id", step->step_id };
  job->request.labels[2] = (struct session_label){ "attempt_id", step->attempt_id };
  job->request.labels[3] = (struct session_label){ "action", step->type };
  job->request.capture = job->request.cut_output = true;
  job->request.document = job->request.last = true;
}

/* ---- The run. */

/* In mode 'runner' the ToolRunner inside needs the home, with key and database. */
static int on_event (void *data, const struct session_event *event, struct error *err)
{
  struct job *job = data;
  const struct session_output *output = &event->output;

  if (event->kind == SESSION_PLANNED && event->run->unconfined)
    return error_set (err, -EPERM, "a step is never run without a sandbox");
  if (event->kind == SESSION_PLANNED && job->toolrunner->configuration->toolrunner_mode == TOOLRUNNER_COMMAND)
    return toolrunner_check_plan (job->toolrunner, event->run->plan, err);
  if (event->kind == SESSION_OUTPUT) {
    char *text = malloc (output->len + 1);

    if (text == NULL)
      return error_oom (err);
    memcpy (text, output->bytes, output->len);
    text[output->len] = '\0';
    job->text[output->stream] = text;
    job->len[output->stream] = output->len;
  }
  return 0;
}

/* That the command did not start is an answer like any other; that there is no plan is the operator's
 * affair. The payload may ask for less than the profile gives; where it asks for more, the profile stays. */
static int run_job (struct job *job, uint64_t timeout_ms, uint64_t max_output, struct output *output,
                    struct error *err)
{
  struct output_sink shown;
  const struct session_sink notes = output_sink_init (&shown, output);
  const struct session_sink sink = { on_event, job, &notes };
  cleanup_error struct error refused = { 0 };
  char time[48], bytes[48];
  int r;

  snprintf (time, sizeof (time), "%" PRIu64 "ms", timeout_ms);
  snprintf (bytes, sizeof (bytes), "%" PRIu64, max_output);
  job->request.at_most[0] = (struct session_limit){ SETTING_WALL, time, "payload" };
  job->request.at_most[1] = (struct session_limit){ SETTING_OUTPUT, bytes, "payload" };
  r = session_run (&job->request, &sink, &job->run, &refused);
  /* These were this function's. */
  job->request.at_most[0] = job->request.at_most[1] = (struct session_limit){ 0 };
  if (r == 0 && has_started (job) && (job->text[1] == NULL || job->text[2] == NULL))
    return error_oom (err);
  if (r == 0 || (job->run.planned && !job->run.ended && job->run.document != NULL))
    return 0;
  /* Not the payload's mistake, and what the gateway passes is right by now. */
  return error_set (err, r == CLI_USAGE ? -EINVAL : r, "%s", error_text (&refused));
}

/* ---- The command of a CLI step. */

static int answer (struct output *output, char *line)
{
  strbuf_add (&output->out, line);
  free (line);
  return 0;
}

static int fail_step (struct output *output, const char *text, bool policy, struct error *err)
{
  char *line = NULL;
  int r = answer_failure (text, policy, &line, err);

  return r < 0 ? r : answer (output, line);
}

/* What the result and the output of the command become. */
static int answer_job (const struct job *job, uint64_t timeout_ms, struct answer_output said,
                       struct output *output, struct error *err)
{
  char *line = NULL;
  int r = answer_command (has_started (job) ? &job->run.result : NULL, &job->run.refused, timeout_ms, &said,
                          job->run.document, &line, err);

  return r < 0 ? r : answer (output, line);
}

static int run_command (struct toolrunner *toolrunner, const struct step_command *command,
                        struct output *output, struct error *err)
{
  cleanup_job struct job job = { .toolrunner = toolrunner };
  cleanup_free char *cwd = str_format ("%s%s%s", INSIDE, command->cwd[0] ? "/" : "", command->cwd);
  uint64_t timeout_ms = command->timeout_ms;
  int r;

  if (cwd == NULL)
    return error_oom (err);
  open_job (&job, &command->argv);
  job.request.cwd = cwd;
  r = run_job (&job, timeout_ms, command->max_output, output, err);
  if (r < 0)
    return r;
  if (job.run.plan->wall_ms > 0)
    timeout_ms = job.run.plan->wall_ms;
  return answer_job (
      &job, timeout_ms,
      (struct answer_output){ .text = { job.text[1] ? job.text[1] : "", job.text[2] ? job.text[2] : "" },
                              .len = { job.len[1], job.len[2] } },
      output, err);
}

int toolrunner_command (struct toolrunner *toolrunner, struct output *output, struct error *err)
{
  cleanup_step_command struct step_command command = { 0 };
  cleanup_error struct error bad = { 0 };
  const char *type = toolrunner->step->type;
  int r;

  if (strcmp (type, "CLI") != 0) {
    cleanup_free char *text = str_format ("unsupported action type: %s", type);

    return text ? fail_step (output, text, false, err) : error_oom (err);
  }
  r = toolrunner_find_workspace (toolrunner, err);
  if (r < 0)
    return r;
  r = step_command_read (toolrunner->step, toolrunner->workspace, &command, &bad);
  if (r == -ENOMEM)
    return error_oom (err);
  if (r < 0)
    return fail_step (output, error_text (&bad), r == -EPERM, err);
  return run_command (toolrunner, &command, output, err);
}

/* ---- The ToolRunner of the image. */

/* An outside path as the runner sees it; one that is elsewhere is the profile's affair and stays. */
static char *seen_inside (const struct toolrunner *toolrunner, const char *path)
{
  cleanup_free char *real = path[0] == '/' ? realpath (path, NULL) : NULL;

  if (real == NULL || !path_is_within (real, toolrunner->workspace))
    return strdup (path);
  return str_format ("%s%s", INSIDE, real + strlen (toolrunner->workspace));
}

static int add_option (struct strlist *argv, const char *name, char *value, struct error *err)
{
  if (value == NULL || strlist_add (argv, name) < 0) {
    free (value);
    return error_oom (err);
  }
  return strlist_add_take (argv, value) < 0 ? error_oom (err) : 0;
}

static int make_runner (const struct toolrunner *toolrunner, struct strlist *argv, struct error *err)
{
  const struct configuration *c = toolrunner->configuration;
  const char *home = arguments_text (toolrunner->given, OPTION_HOME);
  const char *db = arguments_text (toolrunner->given, OPTION_DB);
  const char *migrations = arguments_text (toolrunner->given, OPTION_MIGRATIONS);
  int r = 0;

  if (c->command.count == 0)
    return error_set (err, -EINVAL,
                      "toolrunner.mode is 'runner', and toolrunner.command does not say what starts it");
  if (strlist_copy (&c->command, argv) < 0 || strlist_add (argv, "toolrunner") < 0)
    return error_oom (err);
  if (home != NULL)
    r = add_option (argv, "--home", seen_inside (toolrunner, home), err);
  if (r == 0 && db != NULL)
    r = add_option (argv, "--db", seen_inside (toolrunner, db), err);
  if (r == 0 && c->migrations != NULL)
    r = add_option (argv, "--migrations-dir", strdup (c->migrations), err);
  else if (r == 0 && migrations != NULL)
    r = add_option (argv, "--migrations-dir", seen_inside (toolrunner, migrations), err);
  return r;
}

/* Whether the runner failed as the contract has it; then its own words and exit status are passed on. */
static bool pass_on (const struct job *job, struct error *err)
{
  static const char *const prefixes[] = { "", "toolrunner error: ", "toolrunner input error: " };
  int code = job->run.result.code;
  const char *line = code == 1 || code == 2 ? strstr (job->text[2], prefixes[code]) : NULL;

  if (line == NULL)
    return false;
  line += strlen (prefixes[code]);
  error_set (err, code == 2 ? CLI_USAGE : -EIO, "%.*s", (int) strcspn (line, "\n"), line);
  return true;
}

int toolrunner_runner (struct toolrunner *toolrunner, struct output *output, struct error *err)
{
  cleanup_job struct job job = { .toolrunner = toolrunner };
  uint64_t timeout_ms = toolrunner->step->timeout_ms + RUNNER_EXTRA_MS;
  cleanup_strlist struct strlist argv = { 0 };
  cleanup_error struct error bad = { 0 };
  char *line = NULL;
  int r = toolrunner_find_workspace (toolrunner, err);

  if (r == 0)
    r = make_runner (toolrunner, &argv, err);
  if (r < 0)
    return r;
  open_job (&job, &argv);
  job.request.input = toolrunner->payload;
  job.request.input_len = toolrunner->payload_len;
  r = run_job (&job, timeout_ms, LIMIT_PAYLOAD_BYTES, output, err);
  if (r < 0)
    return r;
  if (!has_started (&job) || job.run.result.reason != RUN_EXITED)
    return answer_job (&job, timeout_ms, (struct answer_output){ .text = { "", "" } }, output, err);
  if (pass_on (&job, err))
    return err->code;
  if (answer_runner (job.text[1], job.len[1], job.run.document, &line, &bad) < 0)
    return error_set (err, -EIO, "the runner ended with %d and printed no StepResult: %s",
                      job.run.result.code, error_text (&bad));
  return answer (output, line);
}
