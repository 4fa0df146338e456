/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "proof-talk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"

/* Since Linux 6.5 the kernel hands a pidfd of the sender over with a message. */
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

  /* The same structure serves for reading, so its pointer is not const. */
  memcpy (&parts[1].iov_base, &bytes, sizeof (bytes));
  /* Both hold a whole batch of questions, and init reads one before the next is written: it fits whole, or
   * the other side is gone. */
  n = talk->stdio ? writev (talk->to, parts, (int) message.msg_iovlen)
                  : sendmsg (talk->to, &message, MSG_NOSIGNAL);
  if (n != (ssize_t) (sizeof (header) + length))
    return error_set_errno (err, errno, "speak to init");
  return 0;
}

/* Of the descriptors in C the first is kept, if none is yet; all others are closed. */
static void keep (int *kept, const struct cmsghdr *c)
{
  for (size_t at = 0; at + sizeof (int) <= c->cmsg_len - CMSG_LEN (0); at += sizeof (int)) {
    int fd = -1;

    memcpy (&fd, CMSG_DATA (c) + at, sizeof (fd));
    if (*kept < 0)
      *kept = fd;
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
      keep (pidfd, c);
    else if (c->cmsg_type == SCM_RIGHTS)
      keep (passed, c);
  }
  return creds.pid;
}

/* One packet of at most SIZE bytes; a longer one is none of ours. */
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
    return error_set (err, -EPROTO, "init said more than was announced");
  if (talk->pid == 0) {
    talk->pid = sender;
    talk->pidfd = take_fd (&pidfd);
  } else if (talk->pid != sender)
    return error_set (err, -EPROTO, "process %d speaks for init", (int) sender);
  return n;
}

/* 1: all SIZE bytes are there, of which *HAVE were. Not a byte more is read: what follows on standard output
 * is the command's. */
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
      return error_set_errno (err, errno, "hear from init");
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
    return error_set (err, -EPROTO, "init said something that is not %s",
                      type == HANDSHAKE_HELLO ? "hello" : "an answer");
  free (talk->bytes);
  talk->bytes = malloc (header->length + (size_t) 1);
  return talk->bytes ? 0 : error_oom (err);
}

int talk_receive (struct talk *talk, enum handshake_type type, uint32_t most, struct error *err)
{
  const size_t head = sizeof (talk->header);
  size_t behind;
  int r = 1;

  if (talk->received < head) {
    r = receive (talk, &talk->header, head, &talk->received, err);
    if (r == 1 && begin_bytes (talk, type, most, err) < 0)
      return err->code;
  }
  if (r <= 0)
    return r;
  behind = talk->received - head;
  r = receive (talk, talk->bytes, talk->header.length, &behind, err);
  talk->received = r == 1 ? 0 : head + behind;
  return r;
}

/* The path may be longer than a socket's address can be; the directory's descriptor is not. */
int rendezvous_open (int directory, struct error *err)
{
  cleanup_close int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int on = 1;

  snprintf (address.sun_path, sizeof (address.sun_path), "/proc/self/fd/%d/" RENDEZVOUS_SOCKET, directory);
  if (unlinkat (directory, RENDEZVOUS_SOCKET, 0) < 0)
    errno = 0; /* one that was not ended well left it; bind finds out */
  if (fd < 0 || bind (fd, (const struct sockaddr *) &address, sizeof (address)) < 0
      || fchmodat (directory, RENDEZVOUS_SOCKET, 0666, 0) < 0
      || setsockopt (fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0 || listen (fd, 4) < 0)
    return error_set_errno (err, errno, "listen for the container");
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
