/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-cleanup-helper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "supervisor-internal.h"
#include "supervisor-step-internal.h"

/* It gives a step up by itself, long before. */
#define ANSWER_MS 90000

enum { SOCKET = 3, STAGE_MOUNTS, STAGE_USERS };

struct order {
  int step, signal;
};

/* An empty text: it went well. */
static void answer (const struct error *err)
{
  const char *text = error_is_set (err) ? error_text (err) : "";
  size_t len = strnlen (text, STEP_TEXT_BYTES - 1);

  if (send (SOCKET, text, len + 1, MSG_NOSIGNAL) < 0)
    _exit (EXIT_FAILURE);
}

/* In the child, to the end. RUN is its own copy by now, and what it was connected to is closed. */
static void __attribute__ ((noreturn)) serve (struct run *run, pid_t supervisor, int socket)
{
  const int fds[] = { -1, -1, -1, socket, run->stage_ns[0], run->stage_ns[1] };
  struct order order;

  prctl (PR_SET_NAME, "tyrum-cleanup");
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != supervisor || run_arrange_descriptors (fds, ARRAY_LEN (fds)) < 0)
    _exit (EXIT_FAILURE);
  run->stage_ns[0] = STAGE_MOUNTS;
  run->stage_ns[1] = STAGE_USERS;
  run->loop = (struct event_loop){ 0 };
  run->handshake = run->control = -1;
  run->cleanup_helper = (struct cleanup_helper){ 0 };
  run->group = (struct cgroup){ 0 };
  error_clear (run->err);
  for (size_t i = 0; i < ARRAY_LEN (run->child_fds); i++)
    run->child_fds[i] = -1;
  while (recv (SOCKET, &order, sizeof (order), 0) == (ssize_t) sizeof (order)) {
    if (order.step != STEP_KILL && order.step != STEP_DELETE)
      _exit (EXIT_FAILURE);
    run->call.signal = order.signal;
    run_step (run, (enum runtime_step) order.step, run->err);
    answer (run->err);
    error_clear (run->err);
  }
  _exit (EXIT_SUCCESS);
}

int cleanup_helper_start (struct run *run, struct cleanup_helper *ret_helper)
{
  pid_t supervisor = getpid (), pid;
  int ends[2];

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
    return error_set_errno (run->err, errno, "make a socket");
  pid = fork ();
  if (pid == 0)
    serve (run, supervisor, ends[1]);
  close (ends[1]);
  if (pid < 0) {
    int failed = errno;

    close (ends[0]);
    return error_set_errno (run->err, failed, "start a cleanup helper");
  }
  *ret_helper = (struct cleanup_helper){ pid, ends[0] };
  return 0;
}

int cleanup_helper_step (struct run *run, enum runtime_step step, struct error *err)
{
  const struct order order = { (int) step, run->call.signal };
  char said[STEP_TEXT_BYTES];
  ssize_t n = send (run->cleanup_helper.socket, &order, sizeof (order), MSG_NOSIGNAL);
  /* A runtime waits until the container's processes are gone. Those that are left are our children, and are
   * collected meanwhile. */
  int r =
      n < 0 ? -errno : run_await (run, run->cleanup_helper.socket, POLLIN, run_now_ms () + ANSWER_MS, err);

  if (error_is_set (err))
    return err->code;
  if (r < 0)
    return error_set_errno (err, -r, "have %s executed", run->name);
  n = recv (run->cleanup_helper.socket, said, sizeof (said), 0);
  if (n <= 0)
    return error_set (err, -ECHILD, "the cleanup helper of run '%s' is gone", run->dir.id);
  said[n - 1] = '\0';
  return said[0] == '\0' ? 0 : error_set (err, -EIO, "%s", said);
}

void cleanup_helper_stop (struct cleanup_helper *cleanup_helper)
{
  if (cleanup_helper->pid == 0)
    return;
  close_p (&cleanup_helper->socket);
  kill (cleanup_helper->pid, SIGKILL);
  waitpid (cleanup_helper->pid, NULL, 0);
  *cleanup_helper = (struct cleanup_helper){ 0 };
}
