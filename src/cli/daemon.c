/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon: becomes the program that stays. */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "cli-verbs.h"
#include "session-paths.h"

static int add_option (struct strlist *argv, const struct arguments *arguments, enum option option)
{
  const char *value = arguments_text (arguments, option);
  cleanup_free char *word = value ? str_format ("--%s=%s", option_info (option)->name, value) : NULL;

  if (value == NULL)
    return 0;
  return word ? strlist_add (argv, word) : -ENOMEM;
}

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_free char *program = paths_program ("tyrum-oci-daemon");
  cleanup_strlist struct strlist argv = { 0 };
  char *array[4] = { NULL };

  (void) output;
  if (program == NULL || strlist_add (&argv, program) < 0 || add_option (&argv, arguments, OPTION_SOCKET) < 0
      || add_option (&argv, arguments, OPTION_IDLE) < 0)
    return error_oom (err);
  for (size_t i = 0; i < argv.count && i + 1 < ARRAY_LEN (array); i++)
    array[i] = argv.items[i];
  execv (program, array);
  return error_set_errno (err, errno, "execute '%s', which is built where libcrun is", program);
}

static const enum option options[] = { OPTION_SOCKET, OPTION_IDLE, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci daemon &", "from now on 'run' is handed to it" },
  { NULL, NULL },
};

const struct verb verb_daemon = {
  .path = "daemon",
  .summary = "stay, and launch for run and toolrunner, from sandboxes held ready if so configured",
  .description =
      "Listens at a socket of this user's. A run that finds it hands itself over: streams, directory, "
      "environment and "
      "limits; a process that is forked here does the rest in its place, without starting anything anew. "
      "What a run "
      "does, prints and ends with is the same, and where there is no daemon, or it declines, a run does "
      "all of it "
      "alone; so it is where standard input is a terminal. Only processes of the same user are heard, and "
      "only those that have just what this one has: the same namespaces and capabilities, and no filter.\n\n"
      "It ends after some time without a run (daemon.idle in the configuration), by a signal, or with its "
      "user's session. Runs that have begun go on without it. With daemon.ready in the configuration it "
      "also "
      "holds sandboxes ready; docs/daemon.md says what that means. systemd can start it by its socket; "
      "contrib/systemd has the units.",
  .options = options,
  .examples = examples,
  .run = run,
};
