/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "session-event-queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-number.h"

/* Of the queue, kept for the lines at the end of the run. */
#define KEPT_BYTES ((size_t) 8 * 1024)

/* ---- Opening. */

bool event_target_is_descriptor (const char *target)
{
  return target[0] != '\0' && target[strspn (target, "0123456789")] == '\0';
}

static int check_socket (int fd, struct error *err)
{
  int type = 0;
  socklen_t size = sizeof (type);

  if (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_STREAM)
    return error_set (err, -EINVAL, "--events: descriptor %d is a socket without a byte stream", fd);
  return 0;
}

/* Opened again it would be another terminal, and what is written to it is input for the slave. */
static bool is_terminal_master (int fd)
{
  unsigned number;

  return ioctl (fd, TIOCGPTN, &number) == 0;
}

/* O_NONBLOCK on an inherited descriptor would change it for every other holder; opened again, it is separate.
 */
static int open_again (int fd, bool fifo, int *ret_fd, struct error *err)
{
  char path[64];

  snprintf (path, sizeof (path), "/proc/self/fd/%d", fd);
  *ret_fd = open (path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  /* A pipe without a reader. A device that gives this error is not there. */
  if (*ret_fd >= 0 || (fifo && errno == ENXIO))
    return 0;
  return error_set_errno (err, errno, "--events: descriptor %d cannot be opened again for writing", fd);
}

static int take_descriptor (int fd, int *ret_fd, struct error *err)
{
  int flags = fcntl (fd, F_GETFL);
  struct stat st;

  if (flags < 0 || fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "--events: descriptor %d", fd);
  if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) != 0)
    return error_set (err, -EBADF, "--events: descriptor %d is not open for writing", fd);
  /* The original is not for the programs that are executed from here on. */
  if (fd > STDERR_FILENO && fcntl (fd, F_SETFD, FD_CLOEXEC) < 0)
    return error_set_errno (err, errno, "--events: descriptor %d", fd);
  if (S_ISCHR (st.st_mode) && is_terminal_master (fd))
    return error_set (err, -EINVAL, "--events: descriptor %d is the master of a terminal", fd);
  if (S_ISFIFO (st.st_mode) || S_ISCHR (st.st_mode))
    return open_again (fd, S_ISFIFO (st.st_mode), ret_fd, err);
  if (S_ISSOCK (st.st_mode) && check_socket (fd, err) < 0)
    return err->code;
  if (!S_ISSOCK (st.st_mode) && !S_ISREG (st.st_mode))
    return error_set (err, -EINVAL, "--events: descriptor %d is no file, pipe, socket or terminal", fd);
  *ret_fd = fcntl (fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return *ret_fd < 0 ? error_set_errno (err, errno, "--events: descriptor %d", fd) : 0;
}

/* A link could lead anywhere: an earlier command may have made it in the workspace. */
static int open_file (const char *file, int *ret_fd, struct error *err)
{
  cleanup_close int fd =
      open (file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
  struct stat st;

  if (fd < 0 && errno == ELOOP)
    return error_set (err, -ELOOP,
                      "--events: '%s' is a symbolic link; name the file, or pass a descriptor by its number",
                      file);
  if (fd < 0 && errno == ENXIO)
    return error_set (err, -ENXIO, "--events: '%s' has no reader", file);
  if (fd < 0 || fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "--events: cannot open '%s'", file);
  if ((!S_ISREG (st.st_mode) && !S_ISFIFO (st.st_mode) && !S_ISCHR (st.st_mode))
      || (S_ISCHR (st.st_mode) && is_terminal_master (fd)))
    return error_set (err, -EINVAL, "--events: '%s' is no file, pipe or terminal", file);
  *ret_fd = take_fd (&fd);
  return 0;
}

int event_target_open (const char *target, int *ret_fd, struct error *err)
{
  uint64_t number;

  if (!event_target_is_descriptor (target))
    return open_file (target, ret_fd, err);
  if (!number_parse (target, INT32_MAX, &number))
    return error_set (err, ERROR_USAGE, "--events: '%s' is not the number of a descriptor", target);
  return take_descriptor ((int) number, ret_fd, err);
}

/* ---- Writing. */

void event_queue_init (struct event_queue *queue, int fd)
{
  struct stat st;

  *queue = EVENT_QUEUE_NONE;
  if (fd < 0 || fstat (fd, &st) < 0)
    return;
  queue->fd = fd;
  queue->socket = S_ISSOCK (st.st_mode);
}

static void stop (struct event_queue *queue, int errnum)
{
  queue->fd = -1;
  queue->failed = errnum == EPIPE || errnum == ECONNRESET ? 0 : errnum;
  strbuf_clear (&queue->bytes);
}

/* write(2) without SIGPIPE, whatever this process does with it otherwise. */
static ssize_t write_quietly (int fd, const char *bytes, size_t len)
{
  const struct timespec now = { 0 };
  sigset_t pipe, before, pending;
  ssize_t n;
  int errnum;

  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  sigpending (&pending);
  sigprocmask (SIG_BLOCK, &pipe, &before);
  n = write (fd, bytes, len);
  errnum = errno;
  if (n < 0 && errnum == EPIPE && sigismember (&pending, SIGPIPE) == 0)
    while (sigtimedwait (&pipe, NULL, &now) < 0 && errno == EINTR)
      continue;
  sigprocmask (SIG_SETMASK, &before, NULL);
  errno = errnum;
  return n;
}

void event_queue_flush (struct event_queue *queue)
{
  size_t done = 0;

  while (queue->fd >= 0 && done < queue->bytes.len) {
    const char *from = queue->bytes.text + done;
    size_t len = queue->bytes.len - done;
    ssize_t n = queue->socket ? send (queue->fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : write_quietly (queue->fd, from, len);

    if (n < 0 && errno == EAGAIN)
      break;
    if (n < 0 && errno != EINTR)
      stop (queue, errno);
    done += n > 0 ? (size_t) n : 0;
  }
  if (queue->fd < 0 || done == 0)
    return;
  memmove (queue->bytes.text, queue->bytes.text + done, queue->bytes.len - done);
  queue->bytes.len -= done;
}

bool event_queue_has_room (const struct event_queue *queue, size_t len, bool last)
{
  size_t limit = LIMIT_EVENT_QUEUE_BYTES - (last ? 0 : KEPT_BYTES);

  return queue->fd >= 0 && queue->bytes.len <= limit && len <= limit - queue->bytes.len;
}

bool event_queue_add (struct event_queue *queue, const char *line, size_t len, bool last)
{
  bool room = event_queue_has_room (queue, len, last);

  if (room)
    strbuf_add_bytes (&queue->bytes, line, len);
  if (room && queue->bytes.failed) {
    stop (queue, ENOMEM);
    room = false;
  }
  queue->dropped += !room;
  event_queue_flush (queue);
  return room;
}

static uint64_t now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_BOOTTIME, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

void event_queue_drain (struct event_queue *queue, uint64_t ms)
{
  uint64_t now = now_ms (), until = now + ms;

  event_queue_flush (queue);
  for (; event_queue_waiting (queue) >= 0 && now < until; now = now_ms ()) {
    struct pollfd one = { queue->fd, POLLOUT, 0 };

    if (poll (&one, 1, (int) (until - now)) > 0)
      event_queue_flush (queue);
  }
}

int event_queue_waiting (const struct event_queue *queue)
{
  return queue->bytes.len > 0 ? queue->fd : -1;
}

void event_queue_clear (struct event_queue *queue)
{
  strbuf_clear (&queue->bytes);
  *queue = EVENT_QUEUE_NONE;
}
