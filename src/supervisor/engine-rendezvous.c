/* The door: a socket in the run's directory at which init knocks, behind an engine that passes no
 * descriptors.
 *
 * Whoever finds the name may connect: the command's user inside has to. So it counts who it is: the process
 * that the engine says is the container's first, by the kernel's word. That one is init, as long as the
 * command has not started; by then the name is gone and nobody listens. Connections of others are closed
 * without a word.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"

#define RENDEZVOUS_DIRECTORY "door"
#define CONNECT_MS           250

/* One that has connected speaks at once; a loaded host may take its time. */
#define HELLO_MS 10000

#define STREAMS 3

/* The name is bound through the directory's descriptor: paths of sockets are short. */
static int bind_in (int directory, int fd)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  snprintf (address.sun_path, sizeof (address.sun_path), "/proc/self/fd/%d/" RENDEZVOUS_SOCKET, directory);
  return bind (fd, (const struct sockaddr *) &address, sizeof (address)) < 0 ? -errno : 0;
}

int run_rendezvous_open (struct run *run)
{
  cleanup_close int directory = -1;
  int on = 1, r;

  directory = openat (run->dir.fd, RENDEZVOUS_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  run->rendezvous = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (directory < 0 || run->rendezvous < 0)
    return error_set_errno (run->err, errno, "open the door of run '%s'", run->dir.id);
  r = bind_in (directory, run->rendezvous);
  /* The command's user inside is nobody that this host knows of. */
  if (r == 0
      && (fchmodat (directory, RENDEZVOUS_SOCKET, 0666, 0) < 0
          || setsockopt (run->rendezvous, SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0
          || listen (run->rendezvous, 4) < 0))
    r = -errno;
  return r < 0 ? error_set_errno (run->err, -r, "open the door of run '%s'", run->dir.id) : 0;
}

void run_rendezvous_close (struct run *run)
{
  cleanup_free char *name = str_format ("%s/" RENDEZVOUS_DIRECTORY "/" RENDEZVOUS_SOCKET, run->dir.path);

  if (run->rendezvous < 0)
    return;
  close_p (&run->rendezvous);
  run->rendezvous = -1;
  if (name != NULL && unlink (name) < 0)
    errno = 0; /* goes with the directory */
}

/* Somebody who is not PID gets no answer. */
static int accept_from (struct run *run, pid_t pid)
{
  cleanup_close int fd = accept4 (run->rendezvous, NULL, NULL, SOCK_CLOEXEC);
  struct ucred peer = { 0 };
  socklen_t size = sizeof (peer);
  int on = 1;

  if (fd < 0 || getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid != pid
      || setsockopt (fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0)
    return -1;
  return take_fd (&fd);
}

/* One that connected may still not be who speaks: what counts is the sender of the first packet. *RET_FD is
 * the descriptor that came along, or -1. */
static bool receives_hello (struct run *run, int fd, pid_t pid, int *ret_fd)
{
  struct handshake_header header = { 0 };
  struct iovec part = { &header, sizeof (header) };
  union {
    char bytes[CMSG_SPACE (sizeof (struct ucred)) + CMSG_SPACE (sizeof (int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  struct ucred sender = { 0 };

  if (run_await (run, fd, POLLIN, run_now_ms () + HELLO_MS, run->err) < 0
      || recvmsg (fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t) sizeof (header))
    return false;
  for (struct cmsghdr *c = CMSG_FIRSTHDR (&message); c != NULL; c = CMSG_NXTHDR (&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS
        && c->cmsg_len == CMSG_LEN (sizeof (sender)))
      memcpy (&sender, CMSG_DATA (c), sizeof (sender));
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN (sizeof (int)))
      memcpy (ret_fd, CMSG_DATA (c), sizeof (*ret_fd));
  }
  return sender.pid == pid && header.magic == HANDSHAKE_MAGIC && header.version == HANDSHAKE_VERSION
         && header.type == HANDSHAKE_HELLO && header.length == 0;
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
  memcpy (CMSG_DATA (c), run->child_fds, STREAMS * sizeof (int));
  if (sendmsg (run->status, &message, MSG_NOSIGNAL) != (ssize_t) sizeof (header))
    return error_set_errno (run->err, errno, "give init its standard streams");
  for (size_t i = 0; i < STREAMS; i++) {
    close_p (&run->child_fds[i]);
    run->child_fds[i] = -1;
  }
  return 0;
}

int run_rendezvous_accept (struct run *run, pid_t pid)
{
  cleanup_close int terminal = -1;

  while (run->status < 0) {
    int r = run_await (run, run->rendezvous, POLLIN, run_now_ms () + CONNECT_MS, run->err), fd;

    if (r < 0)
      return r == -ETIMEDOUT ? -EAGAIN : r;
    fd = accept_from (run, pid);
    if (fd < 0)
      continue;
    if (run->handshake < 0)
      run->handshake = fd;
    else
      run->status = fd;
  }
  run_rendezvous_close (run);
  if (!receives_hello (run, run->status, pid, &terminal))
    return error_set (run->err, -EPROTO, "init did not say hello at the door");
  run->init_pid = pid;
  if (!run->options->plan->terminal)
    return send_streams (run);
  if (terminal < 0)
    return error_set (run->err, -EPROTO, "init handed over no terminal");
  return run_terminal_take (run, take_fd (&terminal));
}
