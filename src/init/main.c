/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci-init: process 1 of a container.
 *
 * Starts with the container's limits in force and before any other program; sends hello to the supervisor and
 * waits. After the go-ahead it runs the command, looks after the container's processes until the command
 * ends, reports how, and exits with the command's code, upon which the kernel kills the remaining processes.
 * Without a go-ahead the command never runs and the exit code is 125.
 *
 * Static, because the container's own libraries are not trusted. Allocates nothing and reads only PATH from
 * the environment. Makes only system calls that the strict seccomp list allows.
 */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "init-call.h"
#include "init-descriptors.h"
#include "init-env.h"
#include "init-failure.h"
#include "init-fds.h"
#include "init-options.h"
#include "init-rendezvous-engine.h"
#include "init-rendezvous.h"
#include "init-signals.h"
#include "init-start-command.h"
#include "init-watch.h"
#include "wire-init.h"

#define EXIT_CANNOT_RUN  126
#define EXIT_NOT_FOUND   127
#define EXIT_SIGNAL_BASE 128

static int claim_sockets (struct failure *failure)
{
  int r = fds_claim_socket (
      HANDSHAKE_FD, "descriptor 3 (handshake) is not a socket: tyrum-oci starts this program", failure);
  if (r < 0)
    return r;
  return fds_claim_socket (STATUS_FD, "descriptor 4 (status) is not a socket: tyrum-oci starts this program",
                           failure);
}

/* Everything that must hold before the first message to the supervisor. */
static int prepare (const struct options *options, struct failure *failure)
{
  int r = signals_block_all (failure);

  if (r < 0)
    return r;
  signals_default_all ();
  /* The command has the same user id: it must not read init's memory or take its descriptors. */
  if (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
    return failure_set_errno (failure, errno, "cannot clear the dumpable flag", NULL);
  descriptors_record ();
  r = fds_fill_standard (failure);
  if (r < 0)
    return r;
  r = fds_close_from (options->transport == TRANSPORT_FD ? STATUS_FD + 1 : STDERR_FILENO + 1, failure);
  if (r == 0 && options->transport == TRANSPORT_SOCKET)
    r = rendezvous_enter (options->tty, failure);
  if (r < 0)
    return r;
  if (options->tty && !isatty (STDIN_FILENO))
    return failure_set (failure, -ENOTTY, "--tty needs a terminal on standard input", NULL);
  if (options->transport == TRANSPORT_FD)
    r = claim_sockets (failure);
  else if (options->transport == TRANSPORT_CALL)
    r = call_supervisor (failure);
  if (r < 0)
    return r;
  /* Here and not in the command's process, so that the limit which is reported is the one that the command
   * inherits. */
  return options->open_files > 0 ? fds_limit (options->open_files, failure) : 0;
}

/* Makes the container end with the supervisor, which is init's parent by now, unless an engine is. If the
 * supervisor died before, the status socket shows it. */
static int tie_to_supervisor (const struct options *options, struct failure *failure)
{
  /* An engine manages the lifetime of its containers itself. */
  if (options->transport == TRANSPORT_CALL)
    return 0;
  if (options->transport == TRANSPORT_SOCKET) {
    int r = rendezvous_watch (failure);
    return r < 0 ? r : handshake_check_supervisor (failure);
  }
  if (prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
    return failure_set_errno (failure, errno, "cannot tie the container to its supervisor", NULL);
  return options->transport == TRANSPORT_FD ? handshake_check_supervisor (failure) : 0;
}

/* Reports how the command ended. Returns the exit code. */
static int conclude (const struct options *options, const struct ending *ending, int exec_err)
{
  struct handshake_ended ended = { .code = ending->code, .signal = ending->signal, .exec_err = exec_err };

  if (exec_err) {
    ended.code = exec_err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    ended.signal = 0;
  }
  if (options_have_status (options)) {
    handshake_tell_ended (ended);
  } else if (exec_err) {
    struct failure failure = { 0 };
    failure_set_errno (&failure, exec_err, "cannot run", options->command[0]);
    failure_print (&failure);
  }
  return ended.signal ? EXIT_SIGNAL_BASE + ended.signal : ended.code;
}

/* Returns the exit code, or a negative errno if the command did not run. */
static int run (char *argv[], struct failure *failure)
{
  struct options options;
  struct command command;
  struct ending ending;
  int exec_err;
  int r = options_parse (argv, &options, failure);

  if (r < 0)
    return r;
  if (options.keep_env)
    return environment_restart (argv, options.keep_env, failure);
  r = prepare (&options, failure);
  if (r < 0)
    return r;
  r = handshake_await_go (&options, failure);
  if (r < 0)
    return r;
  descriptors_forget ();
  r = tie_to_supervisor (&options, failure);
  if (r < 0)
    return r;
  r = command_start (&options, &command, failure);
  if (r < 0)
    return r;
  r = watch_command (command.pid, options.tty, &ending, failure);
  if (r < 0)
    return r;
  r = command_exec_error (&command, &exec_err, failure);
  if (r < 0)
    return r;
  return conclude (&options, &ending, exec_err);
}

int main (int argc, char **argv)
{
  struct failure failure = { 0 };
  int status = run (argv, &failure);

  (void) argc;
  if (status < 0) {
    failure_print (&failure);
    status = EXIT_NOT_RUN;
  }
  _exit (status);
}
