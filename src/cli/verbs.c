/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "cli-verbs.h"

#include <string.h>

#include "base-limits.h"
#include "session-delegate.h"
#include "session-event-queue.h"
#include "options-help.h"

const struct verb_exit verb_statuses[] = {
  { "0", "success" },
  { "1", "failure, or a negative result (profile lint, check, status, doctor, "
         "matrix --observe, audit verify)" },
  { "2", "the command line is wrong; toolrunner: the payload is wrong" },
  { "124", "run: the deadline ended the command" },
  { "125", "run: this program failed or refused, and the command did not run; or it ran, and its output was "
           "lost, or it reached limits.output or limits.idle" },
  { "126, 127", "run: the command cannot be executed, or was not found" },
  { "128+n", "run: signal n ended the command" },
  { NULL, NULL },
};

#define VERB_POINTER(name) &verb_##name
static const struct verb *const verbs[] = { VERBS (VERB_POINTER), NULL };

/* Looked at after the verbs, so a build that has one of these never shows the text. */
static const struct verb_absent absent[] = {
  { "daemon", "tyrum-oci was built without the daemon, so every run is made by its own process; to have one, "
              "install libcrun and build again with './configure --enable-daemon'" },
  { NULL, NULL },
};

static const enum option options[] = { OPTION_VERSION, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci explain --profile hardened", "what the profile promises, and how it is enforced" },
  { "tyrum-oci spec --profile hardened -- make test", "the config.json under which the command would run" },
  { "tyrum-oci profile diff baseline hardened", "each setting that differs, as tighter or looser" },
  { NULL, NULL },
};

const struct verb verb_root = {
  .path = "",
  .summary = "run commands inside the containment that a profile promises",
  .description =
      "A profile is a named posture: which user, which system calls, which part of the file system, "
      "which network and which limits a command gets. tyrum-oci joins a profile with the request, the "
      "operator's ceiling and the facts of this host into a plan, and renders the plan as the document "
      "for a container runtime.\n\n"
      "A request can only tighten a profile. What a backend or the host cannot enforce is refused or "
      "reported, never dropped silently.",
  .operands = "VERB [ARG...]",
  .complete = COMPLETE_VERB,
  .options = options,
  .verbs = verbs,
  .absent = absent,
  .examples = examples,
};

static int check_operands (const struct verb *verb, const struct arguments *arguments, struct error *err)
{
  size_t count = arguments->operands.count;
  cleanup_free char *usage = NULL;

  if (count >= verb->min && (verb->command || count <= verb->max))
    return 0;
  if (count > verb->max)
    return error_set (err, CLI_USAGE, "'%s' does not take the argument '%s'", verb->path,
                      arguments->operands.items[verb->max]);
  usage = verb_usage (verb);
  if (usage == NULL)
    return error_oom (err);
  return error_set (err, CLI_USAGE, "'%s' needs %s: %s", verb->path,
                    verb->command ? "a command" : "more arguments", usage);
}

static int no_verb (const struct verb *verb, struct error *err)
{
  cleanup_strbuf struct strbuf names = { 0 };

  for (const struct verb *const *v = verb->verbs; *v != NULL; v++)
    strbuf_addf (&names, "%s%s", names.len ? ", " : "", verb_name (*v));
  if (names.failed)
    return error_oom (err);
  if (verb->path[0] == '\0')
    return error_set (err, CLI_USAGE, "no verb given; there are %s; see 'tyrum-oci help'", names.text);
  return error_set (err, CLI_USAGE, "'%s' needs one of %s", verb->path, names.text);
}

/* Keys and size of a terminal belong to the caller, and so do other descriptors than the standard streams; a
 * command without a sandbox runs directly in the
 * caller's environment; and a verb that launches nothing is faster here. */
static bool may_be_handed_on (const struct verb *verb, const struct arguments *arguments)
{
  static const enum option here[] = { OPTION_TTY, OPTION_DRY_RUN, OPTION_HOST_FACTS, OPTION_UNCONFINED,
                                      OPTION_HELP };
  const char *events = arguments_text (arguments, OPTION_EVENTS);

  for (size_t i = 0; i < ARRAY_LEN (here); i++)
    if (arguments_have (arguments, here[i]))
      return false;
  return verb->handed_on && (events == NULL || !event_target_is_descriptor (events));
}

static int do_verb (const struct verb *verb, const struct arguments *arguments, struct output *output,
                    struct error *err)
{
  int r;

  if (arguments_have (arguments, OPTION_HELP))
    return help_text (verb, output, err);
  if (arguments_have (arguments, OPTION_VERSION)) {
    strbuf_add (&output->out, PACKAGE_NAME " " PACKAGE_VERSION "\n");
    return 0;
  }
  if (verb->run == NULL)
    return no_verb (verb, err);
  r = check_operands (verb, arguments, err);
  return r < 0 ? r : verb->run (arguments, output, err);
}

static int check_count (char *const *argv, struct error *err)
{
  size_t count = 0;

  while (argv[count] != NULL)
    if (++count > LIMIT_ARGUMENTS)
      return error_set (err, CLI_USAGE, "the command line has more than %zu arguments", LIMIT_ARGUMENTS);
  return 0;
}

/* *RET_VERB is the verb that was found so far, also on failure. */
static int read_argv (char *const *argv, const struct verb **ret_verb, struct arguments *ret_arguments,
                      struct error *err)
{
  const struct verb *verb = &verb_root;
  int r = 0;

  *ret_verb = verb;
  while (r == 0 && verb->verbs != NULL && *argv != NULL && argv[0][0] != '-') {
    r = verb_find (verb, *argv++, &verb, err);
    *ret_verb = verb;
  }
  if (r == 0)
    r = check_count (argv, err);
  return r < 0 ? r : arguments_parse (argv, verb->options, verb->command, ret_arguments, err);
}

bool verb_is_handed_on (char *const *argv)
{
  cleanup_arguments struct arguments arguments = { 0 };
  cleanup_error struct error ignored = { 0 };
  const struct verb *verb;

  return read_argv (argv, &verb, &arguments, &ignored) == 0 && may_be_handed_on (verb, &arguments);
}

int verb_dispatch (struct session_process *process, char *const *argv, const struct verb **ret_verb,
                   struct output *output, struct error *err)
{
  cleanup_arguments struct arguments arguments = { 0 };
  const struct verb *verb;
  int r = read_argv (argv, &verb, &arguments, err);

  *ret_verb = verb;
  arguments.process = process;
  if (r == 0 && verb->before != NULL)
    r = verb->before (&arguments, err);
  if (r == 0 && may_be_handed_on (verb, &arguments))
    r = delegate_to_daemon (process, argv, &output->status, err);
  if (r == 0)
    r = do_verb (verb, &arguments, output, err);
  else if (r > 0)
    r = 0;
  if (r == 0 && (output->out.failed || output->notes.failed))
    r = error_oom (err);
  return r;
}
