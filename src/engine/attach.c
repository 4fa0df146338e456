/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "engine-attach.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base-limits.h"
#include "base-str.h"
#include "engine-head.h"

#define PIECE_BYTES ((size_t) 4096)

static uint64_t now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

static int await (int fd, short events, uint64_t until, const char *socket_path, struct error *err)
{
  struct pollfd wait = { fd, events, 0 };

  for (;;) {
    uint64_t now = now_ms ();
    int n = poll (&wait, 1, now < until ? (int) (until - now) : 0);

    if (n > 0)
      return 0;
    if (n == 0)
      return error_set (err, -ETIMEDOUT, "the engine at '%s' did not answer in time", socket_path);
    if (errno != EINTR)
      return error_set_errno (err, errno, "wait for the engine at '%s'", socket_path);
  }
}

static int connect_to (const char *path, struct error *err)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  cleanup_close int fd = -1;

  if (strlen (path) >= sizeof (address.sun_path))
    return error_set (err, -ENAMETOOLONG, "the path of the engine's socket '%s' is too long", path);
  memcpy (address.sun_path, path, strlen (path) + 1);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return error_set_errno (err, errno, "make a socket");
  /* connect to a unix socket succeeds at once, or fails with EAGAIN when the queue is full. */
  if (connect (fd, (const struct sockaddr *) &address, sizeof (address)) < 0)
    return error_set_errno (err, errno, "connect to the engine at '%s'", path);
  return take_fd (&fd);
}

static int send_request (int fd, const char *request, uint64_t until, const char *socket_path,
                         struct error *err)
{
  size_t len = strlen (request);

  while (len > 0) {
    ssize_t n = send (fd, request, len, MSG_NOSIGNAL);
    int r = 0;

    if (n > 0) {
      request += n;
      len -= (size_t) n;
    } else if (errno == EAGAIN)
      r = await (fd, POLLOUT, until, socket_path, err);
    else if (errno != EINTR)
      r = error_set_errno (err, errno, "call the engine at '%s'", socket_path);
    if (r < 0)
      return r;
  }
  return 0;
}

/* Reads until the head is complete; bytes that follow it stay in BUF after HEAD->bytes. */
static int receive_head (int fd, uint64_t until, const char *socket_path, struct strbuf *buf,
                         struct reply_head *ret_head, struct error *err)
{
  struct reply_head head = { 0 };
  char piece[PIECE_BYTES];

  while (head.status == 0) {
    int r = await (fd, POLLIN, until, socket_path, err);
    ssize_t n = r < 0 ? 0 : recv (fd, piece, sizeof (piece), 0);

    if (r < 0)
      return r;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (n <= 0)
      return error_set (err, -EPIPE, "the engine at '%s' went away before its answer was complete",
                        socket_path);
    strbuf_add_bytes (buf, piece, (size_t) n);
    if (buf->failed)
      return error_oom (err);
    r = reply_head_read (buf->text, buf->len, &head, err);
    if (r < 0)
      return r;
  }
  *ret_head = head;
  return 0;
}

int engine_attach (const char *socket_path, const char *path, unsigned total_ms,
                   struct attached *ret_attached, struct error *err)
{
  cleanup_free char *request = str_format ("POST %s HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\n"
                                           "Upgrade: tcp\r\nContent-Length: 0\r\n\r\n",
                                           path);
  cleanup_strbuf struct strbuf buf = { 0 };
  cleanup_attached struct attached attached = { .fd = -1 };
  struct reply_head head = { 0 };
  uint64_t until = now_ms () + total_ms;
  int r;

  if (request == NULL)
    return error_oom (err);
  attached.fd = connect_to (socket_path, err);
  if (attached.fd < 0)
    return attached.fd;
  r = send_request (attached.fd, request, until, socket_path, err);
  if (r == 0)
    r = receive_head (attached.fd, until, socket_path, &buf, &head, err);
  if (r < 0)
    return r;
  if (head.status != 101 && head.status != 200)
    return error_set (err, -EIO, "the engine at '%s' refused to attach the standard streams: status %u",
                      socket_path, head.status);
  attached.early_len = buf.len - head.bytes;
  if (attached.early_len > 0) {
    attached.early = malloc (attached.early_len);
    if (attached.early == NULL)
      return error_oom (err);
    memcpy (attached.early, buf.text + head.bytes, attached.early_len);
  }
  *ret_attached = attached;
  attached = (struct attached){ .fd = -1 };
  return 0;
}

void attached_clear (struct attached *attached)
{
  close_p (&attached->fd);
  attached->fd = -1;
  free (attached->early);
  attached->early = NULL;
  attached->early_len = 0;
}
