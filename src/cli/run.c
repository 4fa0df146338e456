/* run: launch a command, or show what would be launched. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base-file.h"
#include "cli-verbs.h"
#include "denial-write.h"
#include "journal-result.h"
#include "session-context.h"
#include "session-launching.h"
#include "session-unconfined.h"
#include "supervisor-privileges.h"

/* Opens the directory of the file for the result, before the command can put another one in its place. */
static int open_result (const char *file, struct error *err)
{
  const char *slash = strrchr (file, '/');
  cleanup_free char *directory = slash ? strndup (file, (size_t) (slash - file + 1)) : strdup (".");
  int fd;

  if (directory == NULL)
    return error_oom (err);
  fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? error_set_errno (err, errno, "--result: open the directory of '%s'", file) : fd;
}

/* The result goes where the options say; the command's own exit code is ours. */
static int report (const struct plan *plan, const struct run_result *result, const struct error *failure,
                   const struct arguments *arguments, int directory, struct output *output, struct error *err)
{
  const char *file = arguments_text (arguments, OPTION_RESULT);
  cleanup_free char *text = NULL;
  int r = 0;

  if (file == NULL && !arguments_have (arguments, OPTION_JSON))
    return 0;
  r = result_write (plan, result, failure, &text, err);
  if (r == 0 && file != NULL)
    r = file_write_atomic (directory, strrchr (file, '/') ? strrchr (file, '/') + 1 : file, text,
                           strlen (text), 0600, err);
  if (r == 0 && arguments_have (arguments, OPTION_JSON))
    strbuf_add (&output->out, text);
  return r;
}

/* As in a shell: a command that wrote to a reader which had gone has done nothing wrong. */
static bool lost_reader (const struct run_result *result)
{
  return result->reader_gone && (result->code == 128 + SIGPIPE || result->code == 128 + SIGHUP);
}

/* For the reader of a failure, which may be a model: one line for each denial. Where none was seen, and the
 * failure is one that a control can cause, one line says so; it cannot say that the sandbox is not the cause.
 * Any other failure, such as of grep without a match, gets no line. */
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

/* A command that ended well, and whose output is lost all the same, has not done what it was run for. */
static void tell_lost (const struct run_result *result, struct output *output)
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
      output->status = RUN_CODE_REFUSED;
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

/* A promise does not hold: the command did not run, and whoever called is told which promise and why. */
static int refuse (const struct plan *plan, const struct run_result *result,
                   const struct arguments *arguments, int directory, struct output *output, struct error *err)
{
  cleanup_free char *table = posture_text (result->posture);
  cleanup_error struct error refusal = { 0 };
  int r;

  if (table == NULL)
    return error_oom (err);
  launching_refusal (plan, result, &refusal);
  r = report (plan, result, &refusal, arguments, directory, output, err);
  if (r < 0 || arguments_have (arguments, OPTION_JSON))
    return r;
  text_clean_lines (&output->notes, table);
  return error_set (err, refusal.code, "%s", error_text (&refusal));
}

static int launch (struct launching *launching, const struct context *context, struct plan *plan,
                   const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_run_result struct run_result result = { 0 };
  const char *file = arguments_text (arguments, OPTION_RESULT);
  cleanup_close int directory = file ? open_result (file, err) : -1;
  bool quiet = arguments_have (arguments, OPTION_JSON);
  const int streams[] = { STDIN_FILENO, quiet ? -1 : STDOUT_FILENO, quiet ? -1 : STDERR_FILENO };
  int r;

  if (file != NULL && directory < 0)
    return directory;
  launching->last = true;
  launching->keep_override = file != NULL && !privileges_own_directory (directory);
  r = launching_run (launching, context, plan, streams, &result, output, err);
  if (r < 0) {
    struct error second = { 0 };

    /* The document tells of the failure as well; the failure itself is what the caller is told. */
    if (report (plan, NULL, err, arguments, directory, output, &second) < 0)
      error_clear (&second);
    output->status = 125;
    return quiet ? 0 : r;
  }
  output->status = result.code;
  if (arguments_have (arguments, OPTION_TRACE_TIME))
    trace_time (&result, output);
  if (result.reason == RUN_REFUSED)
    return refuse (plan, &result, arguments, directory, output, err);
  if (result.exec_errno != 0)
    output_not_executed (output, plan->argv.items[0], result.exec_errno);
  explain_failure (&result, output);
  tell_lost (&result, output);
  if (result.left != NULL)
    output_note (output, result.left);
  return report (plan, &result, NULL, arguments, directory, output, err);
}

static int without_sandbox (struct launching *launching, const struct context *context,
                            const struct arguments *arguments, struct output *output, struct error *err)
{
  const char *file = arguments_text (arguments, OPTION_RESULT);
  cleanup_close int directory = file ? open_result (file, err) : -1;

  if (file != NULL && directory < 0)
    return directory;
  return unconfined_run (context, launching, arguments, directory, output, err);
}

static int describe (const struct plan *plan, struct output *output, struct error *err)
{
  cleanup_free char *text =
      str_format ("profile '%s' (%s) on %s", plan->profile_name, plan->profile_digest, plan->backend->name);

  if (text == NULL)
    return error_oom (err);
  output_note (output, text);
  context_add_notes (plan, output);
  return 0;
}

static int show (const struct plan *plan, struct output *output, struct error *err)
{
  cleanup_free char *document = NULL;
  int r = plan->backend->render (plan, &document, err);

  if (r == 0)
    r = describe (plan, output, err);
  if (r == 0)
    strbuf_add (&output->out, document);
  return r;
}

static int want_terminal (struct context *context, const struct arguments *arguments, struct error *err)
{
  context->request.terminal = arguments_have (arguments, OPTION_TTY);
  if (!context->request.terminal)
    return 0;
  if (arguments_have (arguments, OPTION_JSON))
    return error_set (err, CLI_USAGE, "--tty: there is no terminal to show with --json");
  if (!arguments_have (arguments, OPTION_DRY_RUN) && !isatty (STDIN_FILENO))
    return error_set (err, CLI_USAGE, "--tty: standard input is not a terminal");
  return 0;
}

/* From the command line to the plan; there is none for a run without a sandbox. What is refused on the way is
 * told to the journal, but not what nobody could have meant. */
static int prepare (struct context *context, const struct arguments *arguments, struct launching *launching,
                    struct plan **ret_plan, struct error *err)
{
  const char *profile = arguments_text (arguments, OPTION_PROFILE);
  int r = context_open (context, arguments, err);

  if (r == 0)
    r = want_terminal (context, arguments, err);
  if (context->store.ceiling_file != NULL && r != CLI_USAGE) {
    cleanup_error struct error second = { 0 };
    int opened =
        launching_open (context, "run", profile ? profile : "baseline", launching, r < 0 ? &second : err);

    r = r < 0 ? r : opened;
  }
  if (r == 0 && !unconfined_is_granted (context))
    r = context_plan (context, ret_plan, err);
  if (r < 0 && r != CLI_USAGE && launching->configuration != NULL)
    launching_refused (launching, context, err);
  return r;
}

static int dry_run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_plan struct plan *plan = NULL;
  int r = context_open (&context, arguments, err);

  if (r == 0)
    r = want_terminal (&context, arguments, err);
  if (r == 0)
    r = context_plan (&context, &plan, err);
  return r < 0 ? r : show (plan, output, err);
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_context struct context context = { 0 };
  cleanup_launching struct launching launching = { 0 };
  cleanup_plan struct plan *plan = NULL;
  int r;

  if (arguments_have (arguments, OPTION_DRY_RUN))
    return dry_run (arguments, output, err);
  if (arguments_have (arguments, OPTION_HOST_FACTS))
    return error_set (
        err, CLI_USAGE,
        "--host-facts: nothing can be launched on a host that is only described; add --dry-run");
  r = prepare (&context, arguments, &launching, &plan, err);
  if (r < 0)
    return r;
  launching.engine_socket = arguments_text (arguments, OPTION_ENGINE_SOCKET);
  launching.pull = arguments_have (arguments, OPTION_PULL);
  if (plan == NULL)
    return without_sandbox (&launching, &context, arguments, output, err);
  context_add_notes (plan, output);
  return launch (&launching, &context, plan, arguments, output, err);
}

static const enum option options[] = { OPTIONS_OF_REQUEST, OPTION_ENGINE_SOCKET, OPTION_PULL,
                                       OPTION_TTY,         OPTION_TRACE_TIME,    OPTION_RESULT,
                                       OPTION_JSON,        OPTION_DRY_RUN,       OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci run --profile hardened -- make test", "a test run that reaches nothing but this directory" },
  { "tyrum-oci run --dry-run --profile hardened --limit memory=256M -- make test",
    "what would be launched under tighter memory" },
  { NULL, NULL },
};

const struct verb verb_run = {
  .path = "run",
  .summary = "run a command under a profile",
  .description =
      "Joins the profile with the options, the operator's ceiling and this host into a plan, and "
      "launches the command by it. Options can only tighten what the profile says; one that would "
      "loosen it is refused, with the name of a profile that grants it.\n\n"
      "Standard input, output and error are the command's; our own words go to standard error. The exit "
      "status is the command's own, 128+n after signal n, 124 after the deadline, and 125 where this "
      "program failed or refused, could not pass the command's output on, or ended the command because "
      "its output was more than limits.output allows (exit.reason is then limit). When the reader of a "
      "stream goes, the command gets SIGPIPE at its next write, as in a shell.\n\n"
      "With --result the result is written to a file; with --json it is printed instead of the command's "
      "output, which is then counted and dropped. With --dry-run nothing is launched: the document goes "
      "to standard output, and what the plan leaves out, and why, to standard error.",
  .operands = "[--] COMMAND [ARG...]",
  .min = 1,
  .command = true,
  .payload = true,
  .handed_on = true,
  .complete = COMPLETE_COMMAND,
  .options = options,
  .examples = examples,
  .run = run,
};
