/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon: executes tyrum-oci-daemon. */
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
  cleanup_free char *argument = value ? str_format ("--%s=%s", option_info (option)->name, value) : NULL;

  if (value == NULL)
    return 0;
  return argument ? strlist_add (argv, argument) : -ENOMEM;
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
  return error_set_errno (err, errno, "execute '%s'", program);
}

static const enum option options[] = { OPTION_SOCKET, OPTION_IDLE, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci daemon &", "pass later runs to a daemon" },
  { NULL, NULL },
};

const struct verb verb_daemon = {
  .path = "daemon",
  .summary = "launch for run and toolrunner, from prewarmed sandboxes if configured",
  .description =
      "Listens on a socket of this user. A run that finds the socket passes itself to the daemon: "
      "streams, directory, environment and limits. A child of the daemon then does the rest without "
      "starting further programs. The effects, output and exit status of a run are the same. Where "
      "there is no daemon, or it declines, or standard input is a terminal, a run does everything "
      "itself. The daemon only accepts processes of the same user with the same namespaces and "
      "capabilities and without a seccomp filter.\n\n"
      "It exits after some time without a run (daemon.idle in the configuration), on a signal, or with "
      "its user's session. Runs that have started continue without it. With daemon.ready in the "
      "configuration it also prewarms sandboxes; see docs/daemon.md. systemd can start it through its "
      "socket; contrib/systemd has the units.",
  .options = options,
  .examples = examples,
  .run = run,
};
