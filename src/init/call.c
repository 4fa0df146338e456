/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-call.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire-init.h"

int call_supervisor (struct failure *failure)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = RENDEZVOUS_PATH "/" RENDEZVOUS_SOCKET };
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return failure_set_errno (failure, errno, "cannot make a socket", NULL);
  if (connect (fd, (const struct sockaddr *) &address, sizeof address) < 0)
    return failure_set_errno (failure, errno, "cannot connect to the supervisor at", address.sun_path);
  if (fd == HANDSHAKE_FD)
    return 0;
  if (dup3 (fd, HANDSHAKE_FD, O_CLOEXEC) < 0)
    return failure_set_errno (failure, errno, "cannot move a socket to its descriptor", NULL);
  close (fd);
  return 0;
}
