/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init-signals.h"
#include "wire-init.h"

/* Reaps all that have ended by now. Returns 1 if the command is among them, otherwise 0. */
static int reap (pid_t command, struct ending *ret_ending)
{
  int ended = 0;

  for (;;) {
    siginfo_t info = { 0 };

    if (waitid (P_ALL, 0, &info, WEXITED | WNOHANG) < 0) {
      if (errno == EINTR)
        continue;
      /* No children left after the command's end: the usual case. */
      return ended ? ended : -errno;
    }
    if (info.si_pid == 0)
      return ended;
    if (info.si_pid != command)
      continue;
    ended = 1;
    if (info.si_code == CLD_EXITED)
      *ret_ending = (struct ending){ .code = info.si_status };
    else
      *ret_ending = (struct ending){ .code = -1, .signal = info.si_status };
  }
}

static bool is_for_command (const siginfo_t *info, bool tty)
{
  switch (info->si_signo) {
  case SIGCHLD: return false;
  case SIGIO:
    /* Sent by the kernel: it is about the supervisor's socket. */
    if (info->si_code > 0)
      return false;
    break;
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
    if (tty)
      return false;
    break;
  }
  /* When init gives up the terminal, the kernel sends SIGHUP and SIGCONT to init, with init as the sender. */
  return info->si_code != SI_USER || info->si_pid != getpid ();
}

/* The supervisor is gone: there is nothing left to report to, and the kernel kills the rest when init
 * exits. */
static bool is_orphaned (const siginfo_t *info)
{
  struct pollfd status = { .fd = STATUS_FD };

  return info->si_signo == SIGIO && info->si_code > 0 && poll (&status, 1, 0) > 0
         && (status.revents & (POLLHUP | POLLERR)) != 0;
}

static void pass_on (pid_t command, int signal)
{
  /* Before its setsid the command has no group of its own. It cannot be gone: init has not reaped it. */
  if (kill (-command, signal) < 0)
    kill (command, signal);
}

int watch_command (pid_t command, bool tty, struct ending *ret_ending, struct failure *failure)
{
  for (;;) {
    siginfo_t info;
    int r = reap (command, ret_ending);

    if (r < 0)
      return failure_set_errno (failure, -r, "cannot wait for the command", NULL);
    if (r > 0)
      return 0;
    r = signals_wait (&info);
    if (r < 0)
      return failure_set_errno (failure, -r, "cannot wait for signals", NULL);
    if (is_orphaned (&info))
      return failure_set_silent (failure, -EPIPE);
    if (is_for_command (&info, tty))
      pass_on (command, info.si_signo);
  }
}
