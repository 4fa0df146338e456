/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "wire-receive.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
  char bytes[CMSG_SPACE (DESCRIPTORS_MAX * sizeof (int))];
  struct cmsghdr align;
};

int descriptors_send (int socket_fd, const void *bytes, size_t size, const int *fds, size_t count, int flags)
{
  union control control = { 0 };
  struct iovec part = { .iov_len = size };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
  ssize_t n;

  /* sendmsg only reads the bytes, but iov_base is not const. */
  memcpy (&part.iov_base, &bytes, sizeof (bytes));

  if (count > 0) {
    struct cmsghdr *c;

    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE (count * sizeof (int));
    c = CMSG_FIRSTHDR (&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (count * sizeof (int));
    memcpy (CMSG_DATA (c), fds, count * sizeof (int));
  }
  do
    n = sendmsg (socket_fd, &message, flags | MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : 0;
}

/* Stores the first COUNT descriptors of the message in FDS and closes the others. Returns how many there
 * were. */
static size_t take_descriptors (struct msghdr *message, int *fds, size_t count)
{
  size_t taken = 0;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c)) {
    size_t here = c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS
                      ? (c->cmsg_len - CMSG_LEN (0)) / sizeof (int)
                      : 0;

    for (size_t i = 0; i < here; i++) {
      int fd;

      memcpy (&fd, CMSG_DATA (c) + i * sizeof (int), sizeof (fd));
      if (taken < count)
        fds[taken] = fd;
      else
        close (fd);
      taken++;
    }
  }
  return taken;
}

ssize_t descriptors_receive (int socket_fd, void *bytes, size_t size, int *fds, size_t count, int flags)
{
  union control control;
  struct iovec part = { bytes, size };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  size_t taken;
  ssize_t n;

  for (size_t i = 0; i < count; i++)
    fds[i] = -1;
  do
    n = recvmsg (socket_fd, &message, flags | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return -errno;
  taken = take_descriptors (&message, fds, count);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 && (taken == 0 || taken == count))
    return n;
  for (size_t i = 0; i < taken && i < count; i++) {
    close (fds[i]);
    fds[i] = -1;
  }
  return -EPROTO;
}

int descriptor_receive (int socket_fd)
{
  char text[4096];
  int fd;
  ssize_t n = descriptors_receive (socket_fd, text, sizeof (text), &fd, 1, 0);

  if (n < 0)
    return (int) n;
  return fd >= 0 ? fd : -EPROTO;
}
