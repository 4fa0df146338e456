/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: launches a command, or shows what would be launched. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "base-number.h"
#include "cli-verbs.h"
#include "denial-write.h"
#include "options-session.h"
#include "session-event-queue.h"

/* Opens the directory of the result file before the command can replace it. */
static int open_result (const char *file, struct error *err)
{
  const char *slash = strrchr (file, '/');
  cleanup_free char *directory = slash ? strndup (file, (size_t) (slash - file + 1)) : strdup (".");
  int fd;

  if (directory == NULL)
    return error_oom (err);
  fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? error_set_errno (err, errno, "--result: cannot open the directory of '%s'", file) : fd;
}

/* As in a shell, a command that wrote to a closed pipe has not failed. */
static bool lost_reader (const struct run_result *result)
{
  return result->reader_gone && (result->code == 128 + SIGPIPE || result->code == 128 + SIGHUP);
}

/* Adds one line for each denial, for the reader of the failure, which may be a model. If none was seen and
 * a control can cause this failure, one line notes that; it does not rule out the sandbox as the cause.
 * Any other failure, such as grep without a match, gets no line. */
static void explain_failure (const struct run_result *result, struct output *output)
{
  if (result->code == 0 || lost_reader (result))
    return;
  for (size_t i = 0; i < result->denials.count; i++) {
    const struct denial *denial = &result->denials.items[i];
    cleanup_free char *text = denial->aside ? NULL : denial_text (denial);

    if (text != NULL)
      output_note (output, text);
  }
  if (result->suspicious && !denials_explain (&result->denials))
    output_note (
        output,
        result->calls_received
            ? "no denial was seen, which does not rule one out; 'tyrum-oci explain' lists the controls"
            : "no denial was seen, but refused system calls are not reported on this backend; "
              "'tyrum-oci explain' lists the controls");
}

/* A command that succeeded but whose output was lost did not achieve its purpose. */
static void note_lost_output (const struct run_result *result, struct output *output)
{
  static const char *const names[] = { "standard input", "standard output", "standard error" };

  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    int errnum = result->stream_errno[i];
    cleanup_free char *text =
        errnum == 0 ? NULL : str_format ("%s: not all of it was passed on: %s", names[i], strerror (errnum));

    if (errnum == 0)
      continue;
    output_note (output, text ? text : names[i]);
    if (i > 0 && output->status == 0)
      output->status = EXIT_NOT_RUN;
  }
}

static void trace_time (const struct run_result *result, struct output *output)
{
  uint64_t sum = 0;

  for (enum run_phase p = 0; p < PHASE_COUNT; p++) {
    strbuf_addf (&output->notes, "tyrum-oci: time: %-8s %8" PRIu64 " us\n", run_phase_text (p),
                 result->phases_us[p]);
    sum += result->phases_us[p];
  }
  strbuf_addf (&output->notes, "tyrum-oci: time: %-8s %8" PRIu64 " us\n", "all", sum);
}

/* ---- The run. */

struct running {
  const struct arguments *arguments;
  struct output_sink shown;
};

/* An option without a sandbox to apply it would be a false promise. */
static int check_options (const struct arguments *arguments, struct error *err)
{
  static const enum option allowed[] = { OPTION_PROFILE, OPTION_UNCONFINED, OPTION_RESULT };

  for (enum option o = 0; o < OPTION_COUNT; o++) {
    bool fine = !arguments_have (arguments, o);

    for (size_t i = 0; i < ARRAY_LEN (allowed); i++)
      fine = fine || o == allowed[i];
    if (!fine)
      return error_set (err, CLI_USAGE,
                        "--%s: there is no sandbox to apply it; leave it out, or use a profile "
                        "with a sandbox",
                        option_info (o)->name);
  }
  return 0;
}

/* Always shown, before any output of the command. No option suppresses it. */
static void show_banner (void)
{
  static const char banner[] = "**********************************************************************\n"
                               "*  tyrum-oci: NO SANDBOX. This command runs as you, with everything  *\n"
                               "*  you can read, write, reach and destroy. No limit, no filter, no   *\n"
                               "*  deadline. You said --rawdog-no-sandbox-at-all. Nothing is promised *\n"
                               "**********************************************************************\n";

  if (write (STDERR_FILENO, banner, sizeof (banner) - 1) < 0)
    errno = 0;
}

/* The journal is written first: the banner is the last thing before the command. */
static int on_event (void *data, const struct session_event *event, struct error *err)
{
  const struct running *running = data;

  if (!event->run->unconfined)
    return 0;
  if (event->kind == SESSION_STARTED)
    show_banner ();
  return event->kind == SESSION_PLANNED ? check_options (running->arguments, err) : 0;
}

/* A promise does not hold, so the command did not run; the caller learns which promise and why. */
static int refuse (const struct session_outcome *run, struct output *output, struct error *err)
{
  cleanup_free char *table = posture_text (run->result.posture);

  if (table == NULL)
    return error_oom (err);
  text_clean_lines (&output->notes, table);
  return error_set (err, run->refused.code, "%s", error_text (&run->refused));
}

/* The exit status is that of the command. */
static int report (const struct session_outcome *run, const struct arguments *arguments,
                   struct output *output, struct error *err)
{
  const struct run_result *result = &run->result;

  output->status = result->code;
  if (arguments_have (arguments, OPTION_TRACE_TIME))
    trace_time (result, output);
  if (result->reason == RUN_REFUSED)
    return arguments_have (arguments, OPTION_JSON) ? 0 : refuse (run, output, err);
  if (result->exec_errno != 0)
    output_not_executed (output, run->context.request.argv.items[0], result->exec_errno);
  if (run->unconfined)
    return 0;
  explain_failure (result, output);
  note_lost_output (result, output);
  if (result->left != NULL)
    output_note (output, result->left);
  return 0;
}

static int launch (struct session_request *request, const struct arguments *arguments, struct output *output,
                   struct error *err)
{
  cleanup_session_outcome struct session_outcome run = { 0 };
  struct running running = { .arguments = arguments };
  const struct session_sink shown = output_sink_init (&running.shown, output);
  const struct session_sink sink = { on_event, &running, &shown };
  cleanup_error struct error late = { 0 };
  int r;

  request->last = true;
  request->document = arguments_have (arguments, OPTION_JSON);
  request->streams[0] = STDIN_FILENO;
  for (int i = 1; i <= 2 && !request->document; i++)
    request->streams[i] = i;
  r = session_run (request, &sink, &run, err);
  if (run.ended && report (&run, arguments, output, r < 0 ? &late : err) < 0 && r == 0)
    r = err->code;
  if (request->document && run.document != NULL)
    strbuf_add (&output->out, run.document);
  if (r == 0 || run.ended || !run.planned || run.unconfined)
    return r;
  output->status = EXIT_NOT_RUN;
  return request->document ? 0 : r;
}

static int describe (const struct plan *plan, struct output *output, struct error *err)
{
  cleanup_free char *text =
      str_format ("profile '%s' (%s) on %s", plan->profile_name, plan->profile_digest, plan->backend->name);

  if (text == NULL)
    return error_oom (err);
  output_note (output, text);
  output_add_plan (output, plan);
  return 0;
}

static int show (const struct plan *plan, struct output *output, struct error *err)
{
  cleanup_free char *document = NULL;
  int r = launch_planned (plan, &document, err);

  if (r == 0)
    r = describe (plan, output, err);
  if (r == 0)
    strbuf_add (&output->out, document);
  return r;
}

static int check_terminal (const struct arguments *arguments, struct error *err)
{
  if (!arguments_have (arguments, OPTION_TTY))
    return 0;
  if (arguments_have (arguments, OPTION_JSON))
    return error_set (err, CLI_USAGE, "--tty and --json exclude each other");
  if (!arguments_have (arguments, OPTION_DRY_RUN) && !isatty (STDIN_FILENO))
    return error_set (err, CLI_USAGE, "--tty: standard input is not a terminal");
  return 0;
}

static int dry_run (const struct session_request *request, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  int r = context_open (&context, request, err);

  if (r == 0)
    r = context_plan (&context, &plan, err);
  return r < 0 ? r : show (plan, output, err);
}

/* Lines among the command's own output could be written by the command. */
static int check_events (const char *target, bool document, struct error *err)
{
  uint64_t number;
  struct stat st, other;

  if (!event_target_is_descriptor (target) || !number_parse (target, STDERR_FILENO, &number)
      || fstat ((int) number, &st) < 0)
    return 0;
  for (int fd = STDIN_FILENO; fd <= (document ? STDIN_FILENO : STDERR_FILENO); fd++)
    if (fstat (fd, &other) == 0 && st.st_dev == other.st_dev && st.st_ino == other.st_ino)
      return error_set (err, CLI_USAGE,
                        "--events: descriptor %d is a stream of the command; pass another one, or a file",
                        (int) number);
  return 0;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  struct session_request request = request_of_arguments (arguments, "run");
  const char *file = arguments_text (arguments, OPTION_RESULT);
  const char *events = arguments_text (arguments, OPTION_EVENTS);
  cleanup_close int directory = -1, event_fd = -1;
  int r = check_terminal (arguments, err);

  if (r < 0)
    return r;
  if (arguments_have (arguments, OPTION_DRY_RUN))
    return dry_run (&request, output, err);
  if (file != NULL && request.host_facts == NULL) {
    directory = open_result (file, err);
    if (directory < 0)
      return directory;
    request.result_directory = directory;
    request.result_file = strrchr (file, '/') ? strrchr (file, '/') + 1 : file;
  }
  if (events != NULL)
    r = check_events (events, arguments_have (arguments, OPTION_JSON), err);
  if (r == 0 && events != NULL)
    r = event_target_open (events, &event_fd, err);
  request.events = event_fd;
  return r < 0 ? r : launch (&request, arguments, output, err);
}

static const enum option options[] = { OPTIONS_OF_REQUEST,   OPTION_GRACE,   OPTION_WITH_PARENT,
                                       OPTION_ENGINE_SOCKET, OPTION_PULL,    OPTION_TTY,
                                       OPTION_TRACE_TIME,    OPTION_RESULT,  OPTION_EVENTS,
                                       OPTION_JSON,          OPTION_DRY_RUN, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci run --profile hardened -- make test", "run tests that can reach only this directory" },
  { "tyrum-oci run --dry-run --profile hardened --limit memory=256M -- make test",
    "show what would be launched with less memory" },
  { NULL, NULL },
};

const struct verb verb_run = {
  .path = "run",
  .summary = "run a command under a profile",
  .description =
      "Joins the profile with the options, the operator's ceiling and this host into a plan, and "
      "launches the command by it. Options can only tighten the profile; one that would loosen it is "
      "refused, with the name of a profile that grants it.\n\n"
      "Standard input, output and error are those of the command; messages of this program go to "
      "standard error. The exit status is that of the command, 128+n after signal n, 124 after the "
      "deadline, and 125 where this program failed or refused, could not pass the command's output on, "
      "or ended the command because of limits.output or limits.idle (exit.reason is then "
      "limit). A command that has to end, because of the deadline, a limit or a signal to this program, "
      "gets TERM, or that signal, and KILL after the time of --grace. Where limits.wall is set, that is 2s "
      "at "
      "most after the deadline or a limit; a longer one is for signals. A second signal kills at once, such "
      "as the second Ctrl-C; the end of the parent process with --die-with-parent is no second signal. In "
      "the result exit.killed is then true and exit.signal null, as it was not the command's own signal, and "
      "the "
      "reason after a signal to this program is killed. When the reader of a stream is gone, the command "
      "gets SIGPIPE at its next write, as in a "
      "shell.\n\n"
      "With --events what happens is written while the run goes on, as JSON lines "
      "(docs/events.md). With --result the result is written to a file; with --json it is printed instead of "
      "the "
      "command's output, which is then counted and dropped. With --dry-run nothing is launched: the "
      "document goes to standard output, and what the plan leaves out, and why, to standard error.",
  .operands = "[--] COMMAND [ARG...]",
  .min = 1,
  .command = true,
  .payload = true,
  .handed_on = true,
  .before = verb_follow_parent,
  .complete = COMPLETE_COMMAND,
  .options = options,
  .examples = examples,
  .run = run,
};
