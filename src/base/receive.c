#include <config.h>

#include "base-receive.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int descriptor_receive (int socket_fd)
{
  char text[64];
  struct iovec part = { text, sizeof (text) };
  union {
    char bytes[CMSG_SPACE (sizeof (int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  struct cmsghdr *c;
  int fd;

  if (recvmsg (socket_fd, &message, MSG_CMSG_CLOEXEC) < 0)
    return -errno;
  c = CMSG_FIRSTHDR (&message);
  if (c == NULL || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS
      || c->cmsg_len != CMSG_LEN (sizeof (int)))
    return -EPROTO;
  memcpy (&fd, CMSG_DATA (c), sizeof (fd));
  return fd;
}
