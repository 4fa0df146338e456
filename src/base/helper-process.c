/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-helper-process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"

int descriptors_arrange (const int *fds, size_t count)
{
  int moved[HELPER_FDS_MAX];

  if (count > HELPER_FDS_MAX)
    return -E2BIG;
  /* Out of the way first, so that no target is overwritten before it has been copied. */
  for (size_t i = 0; i < count; i++) {
    int from = fds[i] >= 0 ? fds[i] : (i < 3 ? open ("/dev/null", O_RDWR | O_CLOEXEC) : -1);

    moved[i] = from >= 0 ? fcntl (from, F_DUPFD_CLOEXEC, 64) : -1;
    if (from >= 0 && moved[i] < 0)
      return -errno;
  }
  for (size_t i = 0; i < count; i++) {
    if (moved[i] < 0)
      close ((int) i);
    else if (dup2 (moved[i], (int) i) < 0)
      return -errno;
  }
  if (syscall (SYS_close_range, (unsigned) count, ~0u, 0) == 0)
    return 0;
  if (errno != ENOSYS)
    return -errno;
  for (int fd = (int) count; fd < sysconf (_SC_OPEN_MAX); fd++)
    close (fd);
  return 0;
}

bool helper_follow (pid_t parent)
{
  return prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == parent;
}

static void __attribute__ ((noreturn)) become (const struct helper_call *call, pid_t parent, int socket)
{
  int fds[HELPER_FDS_MAX] = { -1, -1, -1 };
  size_t count = 3;

  if (call->socket)
    fds[count++] = socket;
  if (call->name != NULL)
    prctl (PR_SET_NAME, call->name);
  for (size_t i = 0; i < call->fd_count; i++)
    fds[count++] = call->fds[i];
  if (!helper_follow (parent) || descriptors_arrange (fds, count) < 0)
    raise (SIGKILL);
  _exit (call->main (call->data));
}

int helper_fork (const struct helper_call *call, struct helper *ret_helper, struct error *err)
{
  cleanup_close int ours = -1, theirs = -1;
  pid_t parent = getpid (), pid;
  int ends[2];

  if (3 + (size_t) call->socket + call->fd_count > HELPER_FDS_MAX)
    return error_set (err, -E2BIG, "start a helper: too many descriptors");
  if (call->socket) {
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
      return error_set_errno (err, errno, "make a socket");
    ours = ends[0];
    theirs = ends[1];
  }
  pid = fork ();
  if (pid == 0)
    become (call, parent, theirs);
  if (pid < 0)
    return error_set_errno (err, errno, "start a helper");
  *ret_helper = (struct helper){ pid, take_fd (&ours) };
  return 0;
}

void helper_kill (const struct helper *helper)
{
  if (helper->pid > 0)
    kill (helper->pid, SIGKILL);
}

void helper_clear (struct helper *helper)
{
  if (helper->pid <= 0)
    return;
  close_p (&helper->socket);
  helper_kill (helper);
  waitpid (helper->pid, NULL, 0);
  *helper = HELPER_NONE;
}
