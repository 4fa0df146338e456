/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-unconfined.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "supervisor-internal.h"

/* A signal that is sent to us is meant for the command. A terminal's keys reach it without us. */
static void pass_on (pid_t child, const siginfo_t *info)
{
  if (info->si_signo != SIGCHLD && info->si_code <= 0)
    kill (child, info->si_signo);
}

static int wait_for (pid_t child, const sigset_t *watched, int *ret_status)
{
  for (;;) {
    siginfo_t info = { 0 };
    pid_t done = waitpid (child, ret_status, WNOHANG);

    if (done != 0)
      return done == child ? 0 : -errno;
    if (sigwaitinfo (watched, &info) > 0)
      pass_on (child, &info);
  }
}

static void __attribute__ ((noreturn)) become (const struct strlist *argv, const sigset_t *mask, int report)
{
  char **words = calloc (argv->count + 1, sizeof (*words));

  for (size_t i = 0; words != NULL && i < argv->count; i++)
    words[i] = argv->items[i];
  sigprocmask (SIG_SETMASK, mask, NULL);
  if (words != NULL)
    execvp (words[0], words);
  if (write (report, &errno, sizeof (errno)) < 0)
    _exit (EXIT_NOT_RUN);
  _exit (errno == ENOENT ? 127 : 126);
}

int unconfined_execute (const struct strlist *argv, struct run_result *ret_result, struct error *err)
{
  struct run_result result = { .reason = RUN_EXITED };
  uint64_t started = run_now_ms ();
  cleanup_close int hear = -1, tell = -1;
  int report[2], status = 0, r;
  sigset_t watched, before;
  pid_t child;

  sigemptyset (&watched);
  for (size_t i = 0; i < 6; i++)
    sigaddset (&watched, (const int[]){ SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1 }[i]);
  if (pipe2 (report, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "make a pipe");
  hear = report[0];
  tell = report[1];
  sigprocmask (SIG_BLOCK, &watched, &before);
  child = fork ();
  if (child == 0)
    become (argv, &before, tell);
  drop_fd (&tell);
  r = child < 0 ? -errno : wait_for (child, &watched, &status);
  sigprocmask (SIG_SETMASK, &before, NULL);
  if (r < 0)
    return error_set_errno (err, -r, "run '%s'", argv->items[0]);
  if (read (hear, &result.exec_errno, sizeof (result.exec_errno)) != (ssize_t) sizeof (result.exec_errno))
    result.exec_errno = 0;
  result.signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  result.code = WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
  result.reason = WIFSIGNALED (status) ? RUN_SIGNALLED : RUN_EXITED;
  result.wall_ms = run_now_ms () - started;
  *ret_result = result;
  return 0;
}
