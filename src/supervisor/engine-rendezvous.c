/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rendezvous: a socket in the run's directory to which init connects, where an engine passes no
 * descriptors.
 *
 * Every process that finds the name may connect: the command's user inside has to. So the peer's pid decides,
 * as the kernel gives it: it must be that of the container's first process, which the engine reports. That is
 * init, as long as the command has not started; by then the name and the socket are gone. Other connections
 * are closed without an answer.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base-cleanup.h"

#define RENDEZVOUS_DIRECTORY "rendezvous"
#define CONNECT_MS           250

#define STREAMS 3

int run_rendezvous_open (struct run *run)
{
  cleanup_close int directory =
      openat (run->dir->fd, RENDEZVOUS_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (directory < 0)
    return error_set_errno (run->err, errno, "open the rendezvous of run '%s'", run->dir->id);
  run->engine->rendezvous = rendezvous_open (directory, run->err);
  return run->engine->rendezvous < 0 ? run->engine->rendezvous : 0;
}

void run_rendezvous_close (struct run *run)
{
  cleanup_free char *name = str_format ("%s/" RENDEZVOUS_DIRECTORY "/" RENDEZVOUS_SOCKET, run->dir->path);

  if (run->engine->rendezvous < 0)
    return;
  drop_fd (&run->engine->rendezvous);
  if (name != NULL && unlink (name) < 0)
    errno = 0; /* goes with the directory */
}

static int send_streams (struct run *run)
{
  struct handshake_header header = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, HANDSHAKE_STREAMS, 0 };
  struct iovec part = { &header, sizeof (header) };
  union {
    char bytes[CMSG_SPACE (STREAMS * sizeof (int))];
    struct cmsghdr align;
  } control = { 0 };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  struct cmsghdr *c = CMSG_FIRSTHDR (&message);

  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN (STREAMS * sizeof (int));
  memcpy (CMSG_DATA (c), run->init->child_fds, STREAMS * sizeof (int));
  if (sendmsg (run->init->status, &message, MSG_NOSIGNAL) != (ssize_t) sizeof (header))
    return error_set_errno (run->err, errno, "give init its standard streams");
  run_close_child_fds (run);
  return 0;
}

int run_rendezvous_accept (struct run *run, pid_t pid)
{
  cleanup_talk struct talk status = TALK_NONE;

  while (run->init->status < 0) {
    int r = run_await (run, run->engine->rendezvous, POLLIN, run_now_ms () + CONNECT_MS, run->err), fd;

    if (r < 0)
      return r == -ETIMEDOUT ? -EAGAIN : r;
    fd = rendezvous_accept (run->engine->rendezvous, pid);
    if (fd < 0)
      continue;
    if (run->init->handshake < 0)
      run->init->handshake = fd;
    else
      run->init->status = fd;
  }
  run_rendezvous_close (run);
  /* A process that connected may have passed the socket on: the sender of the first packet counts. */
  status.from = run->init->status;
  status.pid = pid;
  if (run_receive_hello (run, &status) < 0)
    return error_prefix (run->err, "hear from init at the rendezvous");
  run->init->pid = pid;
  if (!run->options->plan->terminal)
    return send_streams (run);
  if (status.passed < 0)
    return error_set (run->err, -EPROTO, "init handed over no terminal");
  return run_terminal_take (run, take_fd (&status.passed));
}
