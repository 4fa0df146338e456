/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-rendezvous-engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire-init.h"

#define STREAMS 3
#define PTMX    "/dev/ptmx"

/* The same number on the architectures that we build for; older headers lack it. */
#ifndef TIOCGPTPEER
#define TIOCGPTPEER 0x5441
#endif

static int connect_as (int fd, struct failure *failure)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = RENDEZVOUS_PATH "/" RENDEZVOUS_SOCKET };
  int made = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  if (made < 0)
    return failure_set_errno (failure, errno, "cannot make a socket", NULL);
  if (made != fd) {
    if (dup3 (made, fd, O_CLOEXEC) < 0)
      return failure_set_errno (failure, errno, "cannot move a socket to its descriptor", NULL);
    close (made);
  }
  if (connect (fd, (const struct sockaddr *) &address, sizeof address) < 0)
    return failure_set_errno (failure, errno, "cannot connect to the supervisor at", address.sun_path);
  return 0;
}

/* Receives the one packet with descriptors. */
static int receive_streams (int streams[STREAMS], struct failure *failure)
{
  struct handshake_header header = { 0 };
  struct iovec part = { &header, sizeof header };
  union {
    char bytes[CMSG_SPACE (STREAMS * sizeof (int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  struct cmsghdr *rights;
  ssize_t got;

  do
    got = recvmsg (STATUS_FD, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    return failure_set_errno (failure, errno, "cannot receive the standard streams", NULL);
  rights = got > 0 ? CMSG_FIRSTHDR (&message) : NULL;
  if (got != sizeof header || header.magic != HANDSHAKE_MAGIC || header.version != HANDSHAKE_VERSION
      || header.type != HANDSHAKE_STREAMS || rights == NULL || rights->cmsg_level != SOL_SOCKET
      || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN (STREAMS * sizeof (int)))
    return failure_set (failure, -EBADMSG, "the supervisor sent no standard streams", NULL);
  memcpy (streams, CMSG_DATA (rights), STREAMS * sizeof (int));
  return 0;
}

/* Sends hello, with MASTER unless it is -1. */
static int send_hello (int master, struct failure *failure)
{
  struct handshake_header hello = { .magic = HANDSHAKE_MAGIC,
                                    .version = HANDSHAKE_VERSION,
                                    .type = HANDSHAKE_HELLO };
  struct iovec part = { &hello, sizeof hello };
  union {
    char bytes[CMSG_SPACE (sizeof (int))];
    struct cmsghdr align;
  } control = { 0 };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

  if (master >= 0) {
    struct cmsghdr *rights;

    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    rights = CMSG_FIRSTHDR (&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN (sizeof master);
    memcpy (CMSG_DATA (rights), &master, sizeof master);
  }
  if (sendmsg (STATUS_FD, &message, MSG_NOSIGNAL) != sizeof hello)
    return failure_set_errno (failure, errno, "cannot say hello to the supervisor", NULL);
  return 0;
}

static int take_streams (struct failure *failure)
{
  int streams[STREAMS] = { -1, -1, -1 };
  int r = send_hello (-1, failure);

  if (r == 0)
    r = receive_streams (streams, failure);
  for (int i = 0; r == 0 && i < STREAMS; i++) {
    if (dup2 (streams[i], i) < 0)
      return failure_set_errno (failure, errno, "cannot replace a standard stream", NULL);
    close (streams[i]);
  }
  return r;
}

static int make_terminal (struct failure *failure)
{
  int master = open (PTMX, O_RDWR | O_NOCTTY | O_CLOEXEC), slave, unlocked = 0;
  int r;

  if (master < 0 || ioctl (master, TIOCSPTLCK, &unlocked) < 0)
    return failure_set_errno (failure, errno, "cannot make a terminal of", PTMX);
  slave = ioctl (master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0)
    return failure_set_errno (failure, errno, "cannot open the terminal of", PTMX);
  r = send_hello (master, failure);
  for (int i = 0; r == 0 && i < STREAMS; i++)
    if (dup2 (slave, i) < 0)
      return failure_set_errno (failure, errno, "cannot make the terminal a standard stream", NULL);
  close (slave);
  close (master);
  return r;
}

int rendezvous_enter (bool tty, struct failure *failure)
{
  int r = connect_as (HANDSHAKE_FD, failure);

  if (r == 0)
    r = connect_as (STATUS_FD, failure);
  if (r < 0)
    return r;
  return tty ? make_terminal (failure) : take_streams (failure);
}

int rendezvous_watch (struct failure *failure)
{
  int flags = fcntl (STATUS_FD, F_GETFL);

  if (flags < 0 || fcntl (STATUS_FD, F_SETOWN, getpid ()) < 0
      || fcntl (STATUS_FD, F_SETFL, flags | O_ASYNC) < 0)
    return failure_set_errno (failure, errno, "cannot watch the supervisor", NULL);
  return 0;
}
