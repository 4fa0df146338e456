/* launcher: becomes the program that stays. */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "cli-own.h"
#include "cli-verb.h"

static int run (const struct arguments *arguments, struct output *output, struct error *err)
{
  cleanup_free char *program = own_program ("tyrum-oci-launcher");
  const char *socket = arguments_text (arguments, OPTION_SOCKET),
             *idle = arguments_text (arguments, OPTION_IDLE);
  const char *words[6] = { program };
  size_t count = 1;

  (void) output;
  if (program == NULL)
    return error_oom (err);
  if (socket != NULL) {
    words[count++] = "--socket";
    words[count++] = socket;
  }
  if (idle != NULL) {
    words[count++] = "--idle";
    words[count++] = idle;
  }
  execv (program, (char **) (uintptr_t) words);
  return error_set_errno (err, errno, "execute '%s', which is built where libcrun is", program);
}

static const enum option options[] = { OPTION_SOCKET, OPTION_IDLE, OPTION_COUNT };

static const struct verb_example examples[] = {
  { "tyrum-oci launcher &", "from now on 'run' is handed to it" },
  { NULL, NULL },
};

const struct verb verb_launcher = {
  .path = "launcher",
  .summary = "stay, and launch for run and toolrunner, which then start faster",
  .description =
      "Listens at a socket of this user's. A run that finds it hands itself over: streams, folder, "
      "environment and "
      "limits; a process that is forked here does the rest in its place, without starting anything anew. "
      "What a run "
      "does, prints and ends with is the same, and where there is no launcher, or it declines, a run does "
      "all of it "
      "alone. Only processes of the same user are heard, and only those that have no less than this one has: "
      "no "
      "other namespaces, no fewer capabilities, no filter.\n\n"
      "It ends after some time without a run (launcher.idle in the configuration), by a signal, or with its "
      "user's session. Runs that have begun go on without it. With launcher.ready in the configuration it "
      "also "
      "holds sandboxes ready; docs/launcher.md says what that means. systemd can start it by its socket; "
      "contrib/systemd has the units.",
  .options = options,
  .examples = examples,
  .run = run,
};
