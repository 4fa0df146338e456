#include <config.h>

#include "toolrunner-run-step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base-limits.h"
#include "base-path.h"
#include "journal-result.h"
#include "session-context.h"
#include "session-launching.h"
#include "toolrunner-step-result.h"

/* Where the workspace is inside. */
#define INSIDE "/workspace"

/* The ToolRunner inside keeps the step's time itself; it gets this much more to start and to answer. */
#define RUNNER_EXTRA_MS 5000u

/* One run of a step, and what came of it. */
struct job {
  struct context context;
  struct arguments arguments; /* the command line, completed from the configuration */
  struct launching launching;
  struct plan *plan;
  struct run_result result;
  struct error refused; /* why the command did not start */
  int streams[3];
  uint64_t timeout_ms;
  char *document;
};

static void job_clear (struct job *job)
{
  context_clear (&job->context);
  arguments_clear (&job->arguments);
  launching_clear (&job->launching);
  plan_free (job->plan);
  run_result_clear (&job->result);
  error_clear (&job->refused);
  for (size_t i = 0; i < ARRAY_LEN (job->streams); i++)
    close_p (&job->streams[i]);
  free (job->document);
}
#define cleanup_job cleanup (job_clear)

/* ---- The request. */

int toolrunner_complete (struct arguments *arguments, const struct configuration *c, struct error *err)
{
  const struct {
    enum option option, other; /* both speak of the same thing */
    const char *value;
  } rows[] = {
    { OPTION_PROFILE, OPTION_PROFILE, c->profile }, { OPTION_BACKEND, OPTION_RUNTIME, c->backend },
    { OPTION_RUNTIME, OPTION_BACKEND, c->runtime }, { OPTION_IMAGE, OPTION_ROOTFS, c->image },
    { OPTION_ROOTFS, OPTION_IMAGE, c->rootfs },
  };
  bool said[ARRAY_LEN (rows)];

  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    said[i] = arguments_have (arguments, rows[i].option) || arguments_have (arguments, rows[i].other);
  for (size_t i = 0; i < ARRAY_LEN (rows); i++)
    if (!said[i] && rows[i].value != NULL
        && strlist_add (&arguments->values[rows[i].option], rows[i].value) < 0)
      return error_oom (err);
  return 0;
}

static int make_arguments (struct job *job, const struct toolrunner *toolrunner, const struct strlist *argv,
                           struct error *err)
{
  const struct arguments *given = toolrunner->given;

  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (i != OPTION_WORKSPACE && strlist_copy (&given->values[i], &job->arguments.values[i]) < 0)
      return error_oom (err);
  if (strlist_copy (argv, &job->arguments.operands) < 0
      || strlist_add (&job->arguments.values[OPTION_WORKSPACE], toolrunner->workspace) < 0)
    return error_oom (err);
  return toolrunner_complete (&job->arguments, toolrunner->configuration, err);
}

/* The payload may ask for less than the profile gives; where it asks for more, the profile stays. */
static int tighten (struct job *job, enum setting setting, uint64_t number, const char *text,
                    struct error *err)
{
  cleanup_settings struct settings settings = { 0 };
  struct value *slot = &job->context.request.tighten.values[setting];
  const struct value *now = &settings.values[setting];
  int r = context_settings (&job->context, &settings, err);

  if (r < 0 || (value_is_set (now) && now->number <= number))
    return r;
  value_clear (slot);
  *slot = (struct value){ 0 };
  r = value_parse (setting, text, slot, err);
  if (r == 0) {
    slot->origin.file = strdup ("payload");
    r = slot->origin.file ? 0 : error_oom (err);
  }
  return r;
}

static int tighten_both (struct job *job, uint64_t output, struct error *err)
{
  char time[48], bytes[48];
  int r;

  snprintf (time, sizeof (time), "%llums", (unsigned long long) job->timeout_ms);
  snprintf (bytes, sizeof (bytes), "%llu", (unsigned long long) output);
  r = tighten (job, SETTING_WALL, job->timeout_ms, time, err);
  return r < 0 ? r : tighten (job, SETTING_OUTPUT, output, bytes, err);
}

/* A payload's names can be as long as it likes, a line of the journal cannot. */
#define NAME_SHOWN 128

static void add_name (struct json_writer *w, const char *key, const char *name)
{
  json_bytes (w, key, name, strnlen (name, NAME_SHOWN));
}

static void step_details (struct json_writer *w, const void *data)
{
  const struct step *step = data;

  json_object_begin (w, "step");
  add_name (w, "turn_id", step->turn_id);
  add_name (w, "step_id", step->step_id);
  add_name (w, "attempt_id", step->attempt_id);
  add_name (w, "action", step->type);
  json_object_end (w);
}

static int open_job (struct job *job, const struct toolrunner *toolrunner, const struct strlist *argv,
                     struct error *err)
{
  const char *profile;
  int r = make_arguments (job, toolrunner, argv, err);

  if (r == 0)
    r = context_open (&job->context, &job->arguments, err);
  if (r == 0) {
    profile = arguments_text (&job->arguments, OPTION_PROFILE);
    r = launching_open (&job->context, "toolrunner", profile ? profile : "baseline", &job->launching, err);
  }
  job->launching.engine_socket = arguments_text (&job->arguments, OPTION_ENGINE_SOCKET);
  job->launching.more = step_details;
  job->launching.more_data = toolrunner->step;
  /* Not the payload's mistake, and what the gateway passes is right by now. */
  if (r == CLI_USAGE)
    r = err->code = -EINVAL;
  return r;
}

/* ---- The run. */

static int open_streams (struct job *job, const char *input, size_t len, struct error *err)
{
  static const char *const names[] = { "step-in", "step-out", "step-err" };

  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    job->streams[i] = memfd_create (names[i], MFD_CLOEXEC);
    if (job->streams[i] < 0)
      return error_set_errno (err, errno, "make room for the step's streams");
  }
  for (size_t done = 0; done < len;) {
    ssize_t n = pwrite (job->streams[0], input + done, len - done, (off_t) done);

    if (n < 0 && errno != EINTR)
      return error_set_errno (err, errno, "keep the payload");
    done += n > 0 ? (size_t) n : 0;
  }
  return 0;
}

static bool has_started (const struct job *job)
{
  return !error_is_set (&job->refused);
}

/* In mode 'runner' the ToolRunner inside needs the home, with key and database. */
static int plan_job (struct job *job, const struct toolrunner *toolrunner, struct error *err)
{
  int r = context_plan (&job->context, &job->plan, err);

  if (r == 0 && toolrunner->configuration->toolrunner_mode == TOOLRUNNER_COMMAND)
    r = toolrunner_check_plan (toolrunner, job->plan, err);
  return r;
}

/* That the command did not start is an answer like any other; that there is no plan is the operator's
 * affair. */
static int run_job (struct job *job, const struct toolrunner *toolrunner, const char *input, size_t len,
                    struct output *output, struct error *err)
{
  int r = plan_job (job, toolrunner, err);

  if (r < 0) {
    launching_refused (&job->launching, &job->context, err);
    return r == CLI_USAGE ? (err->code = -EINVAL) : r;
  }
  context_add_notes (job->plan, output);
  r = open_streams (job, input, len, err);
  if (r < 0)
    return r;
  job->launching.last = true;
  job->launching.cut_output = true;
  if (launching_run (&job->launching, &job->context, job->plan, job->streams, &job->result, output,
                     &job->refused)
      < 0)
    return result_write (job->plan, NULL, &job->refused, &job->document, err);
  if (job->result.reason == RUN_REFUSED)
    launching_refusal (job->plan, &job->result, &job->refused);
  return result_write (job->plan, &job->result, has_started (job) ? NULL : &job->refused, &job->document,
                       err);
}

/* What the command said; within its cap, which is small. */
static int take_stream (int fd, char **ret_text, size_t *ret_len, struct error *err)
{
  off_t size = lseek (fd, 0, SEEK_END);
  cleanup_free char *text = size >= 0 ? malloc ((size_t) size + 1) : NULL;
  size_t len = 0;

  if (text == NULL)
    return error_oom (err);
  while (len < (size_t) size) {
    ssize_t n = pread (fd, text + len, (size_t) size - len, (off_t) len);

    if (n < 0 && errno != EINTR)
      return error_set_errno (err, errno, "read what the step said");
    if (n == 0)
      break;
    len += n > 0 ? (size_t) n : 0;
  }
  text[len] = '\0';
  *ret_text = take_ptr (text);
  *ret_len = len;
  return 0;
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

static int run_command (struct toolrunner *toolrunner, const struct step_command *command,
                        struct output *output, struct error *err)
{
  cleanup_job struct job job = { .streams = { -1, -1, -1 }, .timeout_ms = command->timeout_ms };
  cleanup_free char *out = NULL;
  cleanup_free char *complaints = NULL;
  struct answer_output said = { 0 };
  char *line = NULL;
  int r = open_job (&job, toolrunner, &command->argv, err);

  if (r == 0) {
    job.context.request.cwd = str_format ("%s%s%s", INSIDE, command->cwd[0] ? "/" : "", command->cwd);
    r = job.context.request.cwd ? 0 : error_oom (err);
  }
  if (r == 0)
    r = tighten_both (&job, command->max_output, err);
  if (r == 0)
    r = run_job (&job, toolrunner, "", 0, output, err);
  if (r == 0)
    r = take_stream (job.streams[1], &out, &said.len[0], err);
  if (r == 0)
    r = take_stream (job.streams[2], &complaints, &said.len[1], err);
  said.text[0] = out;
  said.text[1] = complaints;
  if (r == 0)
    r = answer_command (has_started (&job) ? &job.result : NULL, &job.refused,
                        job.plan->wall_ms > 0 ? job.plan->wall_ms : job.timeout_ms, &said, job.document,
                        &line, err);
  return r < 0 ? r : answer (output, line);
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
  cleanup_error struct error ignored = { 0 };
  cleanup_free char *text = NULL;
  const char *line;
  size_t len = 0;

  if (job->result.code != 1 && job->result.code != 2)
    return false;
  if (take_stream (job->streams[2], &text, &len, &ignored) < 0)
    return false;
  line = strstr (text, prefixes[job->result.code]);
  if (line == NULL)
    return false;
  line += strlen (prefixes[job->result.code]);
  error_set (err, job->result.code == 2 ? CLI_USAGE : -EIO, "%.*s", (int) strcspn (line, "\n"), line);
  return true;
}

static int answer_of_runner (const struct job *job, struct output *output, struct error *err)
{
  static const struct answer_output nothing = { .text = { "", "" } };
  cleanup_error struct error bad = { 0 };
  cleanup_free char *text = NULL;
  char *line = NULL;
  size_t len = 0;
  int r;

  if (!has_started (job) || job->result.reason != RUN_EXITED) {
    r = answer_command (has_started (job) ? &job->result : NULL, &job->refused, job->timeout_ms, &nothing,
                        job->document, &line, err);
    return r < 0 ? r : answer (output, line);
  }
  if (pass_on (job, err))
    return err->code;
  r = take_stream (job->streams[1], &text, &len, err);
  if (r == 0 && answer_runner (text, len, job->document, &line, &bad) < 0)
    r = error_set (err, -EIO, "the runner ended with %d and printed no StepResult: %s", job->result.code,
                   error_text (&bad));
  return r < 0 ? r : answer (output, line);
}

int toolrunner_runner (struct toolrunner *toolrunner, struct output *output, struct error *err)
{
  cleanup_job struct job job = { .streams = { -1, -1, -1 },
                                 .timeout_ms = toolrunner->step->timeout_ms + RUNNER_EXTRA_MS };
  cleanup_strlist struct strlist argv = { 0 };
  int r = toolrunner_find_workspace (toolrunner, err);

  if (r == 0)
    r = make_runner (toolrunner, &argv, err);
  if (r == 0)
    r = open_job (&job, toolrunner, &argv, err);
  if (r == 0)
    r = tighten_both (&job, LIMIT_PAYLOAD_BYTES, err);
  if (r == 0)
    r = run_job (&job, toolrunner, toolrunner->payload, toolrunner->payload_len, output, err);
  return r < 0 ? r : answer_of_runner (&job, output, err);
}
