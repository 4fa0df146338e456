/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "libcrun-helper-control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base-str.h"
#include "wire-libcrun-helper.h"

int control_adopt (int fd, struct error *err)
{
  int type = 0, domain = 0;
  socklen_t size = sizeof (type);

  if (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0
      || getsockopt (fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0)
    return error_set_errno (err, errno, "descriptor %d is not the supervisor's socket", fd);
  if (type != SOCK_SEQPACKET || domain != AF_UNIX)
    return error_set (
        err, -EPROTOTYPE,
        "descriptor %d is not the supervisor's socket: it is not a unix sequenced-packet socket", fd);
  if (fcntl (fd, F_SETFD, FD_CLOEXEC) < 0)
    return error_set_errno (err, errno, "cannot set flags of descriptor %d", fd);
  return 0;
}

bool control_is_closed (int fd)
{
  struct pollfd poll_fd = { .fd = fd };

  return poll (&poll_fd, 1, 0) > 0;
}

static int send_message (int fd, const struct helper_message *message)
{
  ssize_t n;

  do
    n = send (fd, message, offsetof (struct helper_message, text) + message->length, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : 0;
}

static int send_step (int fd, enum helper_message_type type, pid_t pid)
{
  struct helper_message message = {
    .magic = HELPER_MAGIC,
    .version = HELPER_VERSION,
    .type = (uint16_t) type,
    .pid = pid,
  };

  return send_message (fd, &message);
}

int control_send_created (int fd, pid_t pid)
{
  return send_step (fd, HELPER_CREATED, pid);
}

int control_send_started (int fd, pid_t pid)
{
  return send_step (fd, HELPER_STARTED, pid);
}

/* Copies TEXT as valid UTF-8, whatever file names are in it and wherever it is cut. */
static void put_text (struct helper_message *message, const char *text)
{
  size_t len = strnlen (text, sizeof (message->text));

  memcpy (message->text, text, len);
  if (!str_is_utf8 (text, len))
    for (size_t i = 0; i < len; i++)
      if ((unsigned char) text[i] >= 0x80)
        message->text[i] = '?';
  message->length = (uint32_t) len;
}

int control_send_failed (int fd, const struct error *err)
{
  struct helper_message message = {
    .magic = HELPER_MAGIC,
    .version = HELPER_VERSION,
    .type = HELPER_FAILED,
    .error = -err->code,
  };

  put_text (&message, error_text (err));
  return send_message (fd, &message);
}
