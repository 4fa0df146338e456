/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "proof-talk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"

/* Since Linux 6.5 the kernel can send a pidfd of the sender with a message. */
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

int talk_send (const struct talk *talk, enum handshake_type type, const void *bytes, size_t length,
               struct error *err)
{
  struct handshake_header header = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, (uint16_t) type, (uint32_t) length };
  struct iovec parts[2] = { { &header, sizeof (header) }, { NULL, length } };
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = length > 0 ? 2 : 1 };
  ssize_t n;

  /* iov_base is not const, because struct iovec also serves for reading. */
  memcpy (&parts[1].iov_base, &bytes, sizeof (bytes));
  /* Pipe and socket both hold a whole batch of questions, and init reads one before the next is written, so a
   * short write means that init is gone. */
  n = talk->stdio ? writev (talk->to, parts, (int) message.msg_iovlen)
                  : sendmsg (talk->to, &message, MSG_NOSIGNAL);
  if (n != (ssize_t) (sizeof (header) + length))
    return error_set_errno (err, errno, "send a message to init");
  return 0;
}

/* Takes the first descriptor in C if *TAKEN is none yet, and closes all others. */
static void take_first (int *taken, const struct cmsghdr *c)
{
  for (size_t at = 0; at + sizeof (int) <= c->cmsg_len - CMSG_LEN (0); at += sizeof (int)) {
    int fd = -1;

    memcpy (&fd, CMSG_DATA (c) + at, sizeof (fd));
    if (*taken < 0)
      *taken = fd;
    else
      close_p (&fd);
  }
}

static pid_t sender_of (struct msghdr *message, int *pidfd, int *passed)
{
  struct ucred creds = { 0 };

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c)) {
    if (c->cmsg_level != SOL_SOCKET)
      continue;
    if (c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len == CMSG_LEN (sizeof (creds)))
      memcpy (&creds, CMSG_DATA (c), sizeof (creds));
    else if (c->cmsg_type == SCM_PIDFD)
      take_first (pidfd, c);
    else if (c->cmsg_type == SCM_RIGHTS)
      take_first (passed, c);
  }
  return creds.pid;
}

/* Receives one packet; one of more than SIZE bytes is an error. */
static ssize_t receive_packet (struct talk *talk, void *bytes, size_t size, struct error *err)
{
  struct iovec part = { bytes, size };
  union {
    char bytes[CMSG_SPACE (sizeof (struct ucred)) + 2 * CMSG_SPACE (sizeof (int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  ssize_t n = recvmsg (talk->from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  cleanup_close int pidfd = -1;
  pid_t sender = n > 0 ? sender_of (&message, &pidfd, &talk->passed) : 0;

  if (n <= 0)
    return n;
  if ((message.msg_flags & MSG_TRUNC) != 0)
    return error_set (err, -EPROTO, "init sent a longer message than it announced");
  if (talk->pid == 0) {
    talk->pid = sender;
    talk->pidfd = take_fd (&pidfd);
  } else if (talk->pid != sender)
    return error_set (err, -EPROTO, "process %d, which is not init, sent a message", (int) sender);
  return n;
}

/* Reads up to SIZE bytes, of which *HAVE are there. 1: complete. Never reads more: what follows on standard
 * output belongs to the command. */
static int receive (struct talk *talk, void *bytes, size_t size, size_t *have, struct error *err)
{
  while (*have < size) {
    char *at = (char *) bytes + *have;
    ssize_t n =
        talk->stdio ? read (talk->from, at, size - *have) : receive_packet (talk, at, size - *have, err);

    if (error_is_set (err))
      return err->code;
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return 0;
    if (n < 0)
      return error_set_errno (err, errno, "receive a message from init");
    if (n == 0)
      return error_set (err, -EPIPE, "init ended before the command was started");
    *have += (size_t) n;
  }
  return 1;
}

static int begin_bytes (struct talk *talk, enum handshake_type type, uint32_t most, struct error *err)
{
  const struct handshake_header *header = &talk->header;

  if (header->magic != HANDSHAKE_MAGIC || header->version != HANDSHAKE_VERSION || header->type != type
      || header->length > most)
    return error_set (err, -EPROTO, "init sent something that is not %s",
                      type == HANDSHAKE_HELLO        ? "a hello"
                      : type == HANDSHAKE_RESTRICTED ? "its reply about restrictions"
                                                     : "an answer");
  free (talk->bytes);
  talk->bytes = malloc (header->length + (size_t) 1);
  return talk->bytes ? 0 : error_oom (err);
}

int talk_receive (struct talk *talk, enum handshake_type type, uint32_t most, struct error *err)
{
  const size_t head = sizeof (talk->header);
  size_t after;
  int r = 1;

  if (talk->received < head) {
    r = receive (talk, &talk->header, head, &talk->received, err);
    if (r == 1 && begin_bytes (talk, type, most, err) < 0)
      return err->code;
  }
  if (r <= 0)
    return r;
  after = talk->received - head;
  r = receive (talk, talk->bytes, talk->header.length, &after, err);
  talk->received = r == 1 ? 0 : head + after;
  return r;
}

/* The path may be too long for a socket address, so the socket is bound by way of the descriptor. */
int rendezvous_open (int directory, struct error *err)
{
  cleanup_close int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int on = 1;

  snprintf (address.sun_path, sizeof (address.sun_path), "/proc/self/fd/%d/" RENDEZVOUS_SOCKET, directory);
  if (unlinkat (directory, RENDEZVOUS_SOCKET, 0) < 0)
    errno = 0; /* left by a crashed run; if it is still there, bind fails */
  if (fd < 0 || bind (fd, (const struct sockaddr *) &address, sizeof (address)) < 0
      || fchmodat (directory, RENDEZVOUS_SOCKET, 0666, 0) < 0
      || setsockopt (fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0 || listen (fd, 4) < 0)
    return error_set_errno (err, errno, "listen on the socket '" RENDEZVOUS_SOCKET "' for init");
  return take_fd (&fd);
}

int rendezvous_accept (int rendezvous, pid_t pid)
{
  cleanup_close int fd = accept4 (rendezvous, NULL, NULL, SOCK_CLOEXEC);
  struct ucred peer = { 0 };
  socklen_t size = sizeof (peer);
  int on = 1;

  if (fd < 0 || getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid != pid
      || setsockopt (fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0)
    return -1;
  return take_fd (&fd);
}

void talk_clear (struct talk *talk)
{
  close_p (&talk->pidfd);
  close_p (&talk->passed);
  free (talk->bytes);
  *talk = TALK_NONE;
}
