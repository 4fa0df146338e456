/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "toolrunner-run-step.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-limits.h"
#include "base-path.h"
#include "options-session.h"
#include "toolrunner-step-result.h"

/* Where the workspace is inside. */
#define INSIDE "/workspace"

/* The ToolRunner inside keeps the step's time itself; it gets this much more to start and to answer. */
#define RUNNER_EXTRA_MS 5000u

#define TEXT_OF(number)      TEXT_OF_WORD (number)
#define TEXT_OF_WORD(number) #number

/* One run of a step, and its outcome. */
struct job {
  const struct toolrunner *toolrunner;
  struct session_request request;
  struct session_outcome run;
  struct strlist notes;
  char *text[3]; /* what the command wrote, by stream */
  size_t len[3];
};

static void job_clear (struct job *job)
{
  session_outcome_clear (&job->run);
  strlist_clear (&job->notes);
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

int toolrunner_request (struct session_request *request, const struct configuration *c, struct error *err)
{
  static const char origin[] = "the ToolRunner's contract";

  if (c->toolrunner_mode == TOOLRUNNER_UNSET)
    return error_set (err, -EINVAL, "--toolrunner: the operator's configuration has no toolrunner.mode");
  toolrunner_complete (request, c);
  request->at_most[0] = (struct session_limit){ SETTING_WALL, TEXT_OF (STEP_TIMEOUT_DEFAULT) "ms", origin };
  request->at_most[1] = (struct session_limit){ SETTING_OUTPUT, TEXT_OF (STEP_OUTPUT_DEFAULT), origin };
  return 0;
}

/* From now on a signal ends this process, as it does before the run: the container is gone, and what is left
 * to do depends on what the command printed. */
static void take_signals (void)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGTERM);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGHUP);
  sigaddset (&set, SIGQUIT);
  (void) sigprocmask (SIG_UNBLOCK, &set, NULL);
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

/* Standard error is for the messages of the contract, so notes become part of the answer. */
static int keep_notes (struct job *job, const struct plan *plan, struct error *err)
{
  for (size_t i = 0; plan != NULL && i < plan->notes.count; i++)
    if (strlist_add (&job->notes, plan->notes.items[i]) < 0)
      return error_oom (err);
  return 0;
}

/* The ToolRunner inside reads the gateway's key, and would fail with an error that names no reason. */
static int check_runner_plan (const struct plan *plan, struct error *err)
{
  const struct value *hide = &plan->settings.values[SETTING_HIDE];

  if (!strset_has (&hide->set, "master.key"))
    return 0;
  return error_set (
      err, -EPERM,
      "profile '%s' hides 'master.key', which the ToolRunner of toolrunner.mode 'runner' reads: "
      "set toolrunner.profile to a profile that extends '%s' with filesystem.hide without it",
      plan->profile_name, plan->profile_name);
}

static int check_plan (const struct toolrunner *toolrunner, const struct plan *plan, struct error *err)
{
  return toolrunner->configuration->toolrunner_mode == TOOLRUNNER_COMMAND
             ? toolrunner_check_plan (toolrunner, plan, err)
             : check_runner_plan (plan, err);
}

static int on_event (void *data, const struct session_event *event, struct error *err)
{
  struct job *job = data;
  const struct session_output *output = &event->output;

  if (event->kind == SESSION_PLANNED && keep_notes (job, event->run->plan, err) < 0)
    return err->code;
  if (event->kind == SESSION_PLANNED && event->run->unconfined)
    return error_set (err, -EPERM, "a step is never run without a sandbox");
  if (event->kind == SESSION_PLANNED)
    return check_plan (job->toolrunner, event->run->plan, err);
  if (event->kind == SESSION_NOTE)
    return strlist_add (&job->notes, event->note.text) < 0 ? error_oom (err) : 0;
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

/* A command that did not start is an answer like any other; a plan that cannot be made is the operator's
 * error. The payload can ask for less than the profile gives; where it asks for more, the profile's value
 * stays. */
static int run_job (struct job *job, uint64_t timeout_ms, uint64_t max_output, struct error *err)
{
  const struct session_sink sink = { on_event, job, NULL };
  cleanup_error struct error refused = { 0 };
  char time[48], bytes[48];
  int r;

  snprintf (time, sizeof (time), "%" PRIu64 "ms", timeout_ms);
  snprintf (bytes, sizeof (bytes), "%" PRIu64, max_output);
  job->request.at_most[0] = (struct session_limit){ SETTING_WALL, time, "payload" };
  job->request.at_most[1] = (struct session_limit){ SETTING_OUTPUT, bytes, "payload" };
  r = session_run (&job->request, &sink, &job->run, &refused);
  take_signals ();
  /* TIME and BYTES end with this function. */
  job->request.at_most[0] = job->request.at_most[1] = (struct session_limit){ 0 };
  if (r == 0 && has_started (job) && (job->text[1] == NULL || job->text[2] == NULL))
    return error_oom (err);
  if (r == 0 || (job->run.planned && !job->run.ended && job->run.document != NULL))
    return 0;
  /* The payload and the gateway's options were read before: what is wrong now is not the caller's input. */
  return error_set (err, r == CLI_USAGE ? -EINVAL : r, "%s", error_text (&refused));
}

static struct answer_sandbox sandbox_of (const struct job *job)
{
  return (struct answer_sandbox){ job->run.document, job->toolrunner->configuration->full_metadata,
                                  &job->notes };
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

static int answer_job (const struct job *job, uint64_t timeout_ms, bool with_output, struct output *output,
                       struct error *err)
{
  static const struct json_node none = { .type = JSON_OBJECT };
  struct answer_run run = { .command = job->request.argv->items[0],
                            .args = with_output ? job->toolrunner->step->args : &none,
                            .result = has_started (job) ? &job->run.result : NULL,
                            .why = &job->run.refused,
                            .end_signal = job->run.result.end_signal,
                            .timeout_ms = timeout_ms,
                            .text = { "", "" },
                            .sandbox = sandbox_of (job) };
  char *line = NULL;
  int r;

  for (size_t i = 0; with_output && i < ARRAY_LEN (run.text); i++)
    if (job->text[i + 1] != NULL) {
      run.text[i] = job->text[i + 1];
      run.len[i] = job->len[i + 1];
    }
  r = answer_command (&run, &line, err);
  return r < 0 ? r : answer (output, line);
}

/* Why a directory beneath the workspace cannot be entered, as far as that can be seen from outside: ENOENT,
 * ENOTDIR, or 0. A link may lead elsewhere inside, and is left to the runtime. */
static int find_obstacle (const char *workspace, const char *path)
{
  cleanup_close int directory = open (workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
  cleanup_free char *copy = strdup (path);
  char *rest = copy;

  for (char *part; directory >= 0 && copy != NULL && (part = strsep (&rest, "/")) != NULL;) {
    int next = part[0] ? openat (directory, part, O_PATH | O_NOFOLLOW | O_CLOEXEC)
                       : fcntl (directory, F_DUPFD_CLOEXEC, 0);
    struct stat st;

    if (next < 0)
      return errno == ENOENT ? ENOENT : 0;
    close_p (&directory);
    directory = next;
    if (fstat (directory, &st) < 0 || S_ISLNK (st.st_mode))
      return 0;
    if (!S_ISDIR (st.st_mode))
      return ENOTDIR;
  }
  return 0;
}

/* Node reports these errors of a spawn by an exception, which ends the step without a result. */
static bool is_thrown (int errnum)
{
  static const int numbers[] = { E2BIG, ELOOP, ENAMETOOLONG, ENOTDIR, ETXTBSY };

  for (size_t i = 0; i < ARRAY_LEN (numbers); i++)
    if (errnum == numbers[i])
      return true;
  return false;
}

static int throw_spawn_error (int errnum, struct error *err)
{
  return error_set (err, -errnum, "spawn %s", strerrorname_np (errnum));
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
  r = run_job (&job, timeout_ms, command->max_output, err);
  if (r < 0)
    return r;
  if (has_started (&job) && is_thrown (job.run.result.exec_errno))
    return throw_spawn_error (job.run.result.exec_errno, err);
  if (job.run.plan->wall_ms > 0)
    timeout_ms = job.run.plan->wall_ms;
  return answer_job (&job, timeout_ms, true, output, err);
}

static bool is_checked_by_policy (const char *type)
{
  static const char *const types[] = { "CLI", "Http", "Mcp" };

  for (size_t i = 0; i < ARRAY_LEN (types); i++)
    if (strcmp (type, types[i]) == 0)
      return true;
  return false;
}

/* The reason why this step must not run at all, or NULL. Without a policy snapshot the gateway has skipped
 * its own check; and a secret handle that is not resolved would reach the command as text. */
static int find_refusal (const struct step *step, bool *ret_policy, char **ret_text, struct error *err)
{
  cleanup_free char *secret = NULL;
  int r;

  *ret_policy = true;
  if (is_checked_by_policy (step->type) && step->policy_snapshot_id == NULL) {
    *ret_text = strdup ("missing/invalid policy snapshot id for executor policy enforcement");
    return *ret_text ? 0 : error_oom (err);
  }
  if (strcmp (step->type, "CLI") != 0) {
    *ret_policy = false;
    *ret_text = str_format ("unsupported action type: %s", step->type);
    return *ret_text ? 0 : error_oom (err);
  }
  r = step_find_secret (step, &secret, err);
  if (r < 0 || secret == NULL) {
    *ret_text = NULL;
    return r;
  }
  *ret_text = str_format ("policy denied secret resolution: %s is a secret handle, which toolrunner.mode "
                          "'command' does not resolve",
                          secret);
  return *ret_text ? 0 : error_oom (err);
}

/* A step that is refused before it comes to a run is in the journal like one that is refused later. */
static void record_refusal (const struct toolrunner *toolrunner, const struct strlist *argv, const char *why)
{
  cleanup_job struct job job = { .toolrunner = toolrunner };
  cleanup_error struct error refused = { 0 }, ignored = { 0 };

  open_job (&job, argv);
  job.request.workspace_optional = true;
  error_set (&refused, -EPERM, "%s", why);
  (void) session_refuse (&job.request, &refused, &ignored);
}

static int refuse_step (const struct toolrunner *toolrunner, struct output *output, const char *text,
                        bool policy, struct error *err)
{
  record_refusal (toolrunner, NULL, text);
  return fail_step (output, text, policy, err);
}

/* The directory that the command starts in. */
static int find_cwd (struct toolrunner *toolrunner, struct step_command *command, int *ret_obstacle,
                     struct error *err)
{
  int r = toolrunner_find_workspace (toolrunner, err);

  if (r < 0)
    return r;
  r = step_command_cwd (toolrunner->step, toolrunner->workspace, command, err);
  if (r == -EPERM)
    record_refusal (toolrunner, &command->argv, error_text (err));
  if (r < 0)
    return r;
  *ret_obstacle = find_obstacle (toolrunner->workspace, command->cwd);
  return is_thrown (*ret_obstacle) ? throw_spawn_error (*ret_obstacle, err) : 0;
}

int toolrunner_command (struct toolrunner *toolrunner, struct output *output, struct error *err)
{
  cleanup_step_command struct step_command command = { 0 };
  cleanup_error struct error bad = { 0 };
  cleanup_free char *refusal = NULL;
  char *line = NULL;
  bool policy;
  int obstacle, r = find_refusal (toolrunner->step, &policy, &refusal, err);

  if (r < 0 || refusal != NULL)
    return r < 0 ? r : refuse_step (toolrunner, output, refusal, policy, err);
  r = step_command_read (toolrunner->step, &command, &bad);
  if (r == -EINVAL)
    return fail_step (output, error_text (&bad), false, err);
  if (r < 0)
    return error_set (err, r, "%s", error_text (&bad));
  r = find_cwd (toolrunner, &command, &obstacle, err);
  if (r < 0)
    return r;
  if (obstacle == 0)
    return run_command (toolrunner, &command, output, err);
  r = answer_not_spawned (command.argv.items[0], obstacle, &line, err);
  return r < 0 ? r : answer (output, line);
}

/* ---- The ToolRunner of the image. */

/* PATH, which counts from the gateway's working directory, without links; what is not there yet is where its
 * directory is. NULL: not known. */
static char *real_path (const char *path)
{
  const char *slash = strrchr (path, '/');
  cleanup_free char *directory =
      slash && slash[1] != '\0' ? strndup (path, (size_t) (slash - path) + 1) : NULL;
  cleanup_free char *real = NULL;
  char *found = realpath (path, NULL);

  if (found != NULL || errno != ENOENT || (slash != NULL && slash[1] == '\0'))
    return found;
  real = realpath (directory ? directory : ".", NULL);
  return real ? str_format ("%s/%s", strcmp (real, "/") == 0 ? "" : real, slash ? slash + 1 : path) : NULL;
}

/* An outside path as the runner sees it. One that lies elsewhere has to be mounted by the profile, and is
 * passed on as GIVEN. */
static char *seen_inside (const struct toolrunner *toolrunner, const char *path, const char *given)
{
  cleanup_free char *real = real_path (path);

  if (real == NULL || !path_is_within (real, toolrunner->workspace))
    return strdup (given);
  return str_format ("%s%s", INSIDE, real + strlen (toolrunner->workspace));
}

/* PATH as a URI, with the parameters of GIVEN. */
static char *database_uri (const char *path, const char *given)
{
  cleanup_strbuf struct strbuf out = { 0 };

  strbuf_add (&out, "file:");
  for (; *path != '\0'; path++)
    if (strchr ("%?#", *path) != NULL)
      strbuf_addf (&out, "%%%02X", (unsigned char) *path);
    else
      strbuf_add_bytes (&out, path, 1);
  strbuf_add (&out, given + strcspn (given, "?#"));
  return strbuf_take (&out);
}

/* The database as the runner sees it: a path for a path, and a URI for a URI. */
static char *database_inside (const struct toolrunner *toolrunner, const char *db)
{
  cleanup_free char *file = toolrunner_database_file (db), *inside = NULL;

  if (file == NULL || file[0] == '\0')
    return file ? strdup (db) : NULL;
  inside = seen_inside (toolrunner, file, db);
  if (inside == NULL || strcmp (inside, db) == 0 || strncasecmp (db, "file:", 5) != 0)
    return take_ptr (inside);
  return database_uri (inside, db);
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
    r = add_option (argv, "--home", seen_inside (toolrunner, home, home), err);
  if (r == 0 && db != NULL)
    r = add_option (argv, "--db", database_inside (toolrunner, db), err);
  if (r == 0 && c->migrations != NULL)
    r = add_option (argv, "--migrations-dir", strdup (c->migrations), err);
  else if (r == 0 && migrations != NULL)
    r = add_option (argv, "--migrations-dir", seen_inside (toolrunner, migrations, migrations), err);
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
  struct answer_sandbox sandbox;
  char *line = NULL;
  int r = toolrunner_find_workspace (toolrunner, err);

  if (r == 0)
    r = make_runner (toolrunner, &argv, err);
  if (r < 0)
    return r;
  open_job (&job, &argv);
  job.request.input = toolrunner->payload;
  job.request.input_len = toolrunner->payload_len;
  /* Node ends without waiting for the reader of a pipe. */
  job.request.wide_output = true;
  r = run_job (&job, timeout_ms, LIMIT_PAYLOAD_BYTES, err);
  if (r < 0)
    return r;
  if (!has_started (&job) || job.run.result.reason != RUN_EXITED)
    return answer_job (&job, timeout_ms, false, output, err);
  if (pass_on (&job, err))
    return err->code;
  sandbox = sandbox_of (&job);
  if (answer_runner (job.text[1], job.len[1], &sandbox, &line, &bad) < 0)
    return error_set (err, -EIO, "the runner ended with %d and printed no StepResult: %s",
                      job.run.result.code, error_text (&bad));
  return answer (output, line);
}
