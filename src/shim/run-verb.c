/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: create and start in one call, restricted and proven like them; then, unless it is to be left alone,
 * the container is waited for: signals go in, its exit status comes out, and it is deleted.
 *
 * create is done by a child, which becomes the low-level runtime. We are the subreaper, so that the
 * container's first process becomes our child when that has ended, and its status comes to us.
 */
#include <config.h>

#include "shim-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "shim-bundle.h"
#include "shim-log.h"
#include "shim-streams.h"

#define WAIT_MS 1000

struct runner {
  struct call *call;
  int signals; /* a descriptor */
  int pidfd;
  pid_t pid; /* of the container's first process */
  struct streams streams;
  struct error *err;
};

static void runner_clear (struct runner *runner)
{
  close_p (&runner->signals);
  close_p (&runner->pidfd);
  streams_clear (&runner->streams);
}
#define cleanup_runner cleanup (runner_clear)

/* Stopping and going on with us by the keyboard stays the shell's business. */
static int take_signals (struct runner *runner)
{
  static const int others[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS,
                                SIGFPE,  SIGILL,  SIGABRT, SIGTRAP, SIGSYS };
  sigset_t set;

  signal (SIGCHLD, SIG_DFL);
  sigfillset (&set);
  for (size_t i = 0; i < ARRAY_LEN (others); i++)
    sigdelset (&set, others[i]);
  if (sigprocmask (SIG_SETMASK, &set, NULL) < 0)
    return error_set_errno (runner->err, errno, "block signals");
  runner->signals = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return runner->signals < 0 ? error_set_errno (runner->err, errno, "listen for signals") : 0;
}

/* ---- Other commands, made of the words of this one. */

/* HEAD, our global flags before it; then TAIL. The list is new, the words are not. */
static char **argv_of (const struct call *call, const char *const *tail)
{
  const struct command *command = call->command;
  size_t count = 0, at = command->verb_at;
  char **argv;

  while (tail[count] != NULL)
    count++;
  argv = calloc (at + count + 1, sizeof (*argv));
  if (argv == NULL)
    return NULL;
  memcpy (argv, command->argv, at * sizeof (*argv));
  memcpy (argv + at, tail, count * sizeof (*argv));
  return argv;
}

/* create takes all that run takes but its own flags. */
static char **create_argv (struct runner *runner)
{
  const struct command *command = runner->call->command;
  const char *const verb[] = { "create", "--console-socket", runner->streams.path };
  struct command ignored = { 0 };
  char **argv = calloc (command->count + ARRAY_LEN (verb), sizeof (*argv));
  size_t n = command->verb_at, added = runner->streams.path ? ARRAY_LEN (verb) : 1;
  bool flags_end = false, *target;

  if (argv == NULL)
    return NULL;
  memcpy (argv, command->argv, n * sizeof (*argv));
  memcpy (argv + n, verb, added * sizeof (*argv));
  n += added;
  for (size_t i = command->verb_at + 1; i < command->count; i++) {
    flags_end = flags_end || strcmp (command->argv[i], "--") == 0;
    if (flags_end || !command_is_of_run (&ignored, command->argv[i], &target))
      argv[n++] = command->argv[i];
  }
  return argv;
}

/* ---- Making it. */

static int open_streams (struct runner *runner)
{
  const struct command *command = runner->call->command;
  cleanup_bundle struct bundle bundle = { 0 };
  const struct json_node *terminal;
  int r = bundle_read (command, &bundle, runner->err);

  if (r < 0)
    return r;
  terminal = json_get (json_get (bundle.config, "process"), "terminal");
  if (terminal == NULL || terminal->type != JSON_BOOL || !terminal->flag)
    return command->detach ? 0 : streams_make (&runner->streams, runner->err);
  r = streams_set_aside (&runner->streams, runner->err);
  if (r < 0 || command->console_socket.text != NULL)
    return r;
  if (command->detach)
    return error_set (runner->err, -EINVAL,
                      "--detach with a terminal needs --console-socket, which receives the terminal");
  return streams_listen (&runner->streams, runner->call->lock, runner->err);
}

/* In the child; it says itself what went wrong. */
static int create_as_child (const struct call *call, char *const *argv)
{
  cleanup_error struct error err = { 0 };
  struct command command = { 0 };
  struct call own = { .command = &command,
                      .program = call->program,
                      .config_dir = call->config_dir,
                      .data_dir = call->data_dir,
                      .state = call->state,
                      .record = call->record,
                      .known = call->known,
                      .via = "run",
                      .code = -1,
                      .lock = call->lock };
  int r = command_parse (argv, &command, &err);

  if (r == 0)
    r = verb_create (&own, &err);
  if (r < 0)
    log_write (call->command, LOG_LEVEL_ERROR, error_text (&err));
  return 1;
}

static int create (struct runner *runner, int *ret_status)
{
  struct call *call = runner->call;
  cleanup_free char **argv = create_argv (runner);
  pid_t child;
  int status, r;

  if (argv == NULL)
    return error_oom (runner->err);
  child = fork ();
  if (child < 0)
    return error_set_errno (runner->err, errno, "start a process");
  if (child == 0)
    _exit (streams_enter (&runner->streams) < 0 ? EXIT_NOT_RUN : create_as_child (call, argv));
  streams_leave (&runner->streams);
  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return error_set_errno (runner->err, errno, "wait for create");
  *ret_status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  record_clear (&call->record);
  r = record_read_at (call->lock, &call->record, runner->err);
  call->known = r == 0;
  if (r != -ENOENT)
    return r;
  error_clear (runner->err);
  return 0;
}

static int start (struct runner *runner)
{
  const char *const tail[] = { "start", runner->call->command->id, NULL };
  cleanup_free char **argv = argv_of (runner->call, tail);
  struct command command = { 0 };
  struct call call = *runner->call;
  int r = argv ? command_parse (argv, &command, runner->err) : error_oom (runner->err);

  call.command = &command;
  if (r == 0 && runner->streams.path != NULL)
    r = streams_take (&runner->streams, runner->err);
  return r < 0 ? r : call_start (&call, &runner->pid, runner->err);
}

static int delete (struct runner *runner, struct error *err)
{
  const char *const tail[] = { "delete", "--force", runner->call->command->id, NULL };
  cleanup_free char **argv = argv_of (runner->call, tail);
  struct command command = { 0 };
  struct call call = *runner->call;
  int r = argv ? command_parse (argv, &command, err) : error_oom (err);

  call.command = &command;
  return r < 0 ? r : verb_delete (&call, err);
}

/* ---- Waiting for it. */

/* Everything that ended; whether the container is among it. */
static bool reap (const struct runner *runner, int *ret_status)
{
  bool ended = false;
  int status;
  pid_t pid;

  while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
    if (pid == runner->pid) {
      ended = true;
      *ret_status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
    }
  return ended;
}

static void pass_signals (struct runner *runner)
{
  struct signalfd_siginfo info;

  while (read (runner->signals, &info, sizeof (info)) == (ssize_t) sizeof (info))
    switch (info.ssi_signo) {
    case SIGCHLD:
    case SIGPIPE: break;
    case SIGWINCH: streams_resize (&runner->streams); break;
    default: pidfd_send_signal (runner->pidfd, (int) info.ssi_signo, NULL, 0);
    }
}

static int await_end (struct runner *runner)
{
  int status = 0;

  while (!reap (runner, &status)) {
    if (streams_copy (&runner->streams, runner->signals, WAIT_MS))
      pass_signals (runner);
    /* It is the child of another process, and only that one gets its status. */
    if (kill (runner->pid, 0) < 0 && errno == ESRCH && !reap (runner, &status))
      return error_set (runner->err, -ECHILD, "the container has ended, and its exit status is not known");
  }
  streams_drain (&runner->streams);
  runner->call->code = status;
  return status;
}

static int start_and_wait (struct runner *runner)
{
  int r = start (runner);

  if (r != 0 || runner->call->command->detach)
    return r;
  runner->pidfd = pidfd_open (runner->pid, 0);
  if (runner->pidfd < 0)
    return error_set_errno (runner->err, errno, "take hold of process %d", (int) runner->pid);
  return await_end (runner);
}

int verb_run_container (struct call *call, struct error *err)
{
  cleanup_runner struct runner runner = { .call = call, .signals = -1, .pidfd = -1, .err = err };
  struct error late = { 0 };
  int status = 0, r;

  streams_init (&runner.streams);
  if (prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
    return error_set_errno (err, errno, "become the parent of what is left alone");
  r = take_signals (&runner);
  if (r == 0)
    r = call_take (call, err);
  if (r < 0)
    return r;
  r = open_streams (&runner);
  if (r == 0)
    r = create (&runner, &status);
  /* What the low-level runtime has under this name now is not ours. */
  if (r < 0 || status != 0) {
    streams_drain (&runner.streams);
    call_drop (call);
    return r < 0 ? r : status;
  }
  close_p (&call->lock);
  call->lock = -1;
  r = start_and_wait (&runner);
  if (r >= 0 && (call->command->keep || (call->command->detach && r == 0)))
    return r;
  if (delete (&runner, &late) < 0)
    log_write (call->command, LOG_LEVEL_WARNING, error_text (&late));
  error_clear (&late);
  return r;
}
