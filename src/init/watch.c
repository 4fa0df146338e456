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

/* Collects all that have ended by now. Returns 1 if the payload is among them, 0 if it is not. */
static int reap (pid_t command, struct ending *ret_ending)
{
  int ended = 0;

  for (;;) {
    siginfo_t info = { 0 };

    if (waitid (P_ALL, 0, &info, WEXITED | WNOHANG) < 0) {
      if (errno == EINTR)
        continue;
      /* Without children after the payload's end: the usual case. */
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
    /* The kernel's own is about the supervisor. */
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
  /* Giving up the terminal makes the kernel send SIGHUP and SIGCONT to init, in init's own name. */
  return info->si_code != SI_USER || info->si_pid != getpid ();
}

/* The supervisor is gone: whoever started this run hears of it no more, and the kernel ends the rest with
 * init. */
static bool is_orphaned (const siginfo_t *info)
{
  struct pollfd status = { .fd = STATUS_FD };

  return info->si_signo == SIGIO && info->si_code > 0 && poll (&status, 1, 0) > 0
         && (status.revents & (POLLHUP | POLLERR)) != 0;
}

static void pass_on (pid_t command, int signal)
{
  /* Before its setsid the payload has no group yet. It cannot be gone: init has not reaped it. */
  if (kill (-command, signal) < 0)
    kill (command, signal);
}

int watch_command (pid_t command, bool tty, struct ending *ret_ending, struct failure *failure)
{
  for (;;) {
    siginfo_t info;
    int r = reap (command, ret_ending);

    if (r < 0)
      return failure_set_errno (failure, -r, "cannot wait for the payload", NULL);
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
