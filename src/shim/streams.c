/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "shim-container-record.h"
#include "shim-stdio.h"
#include "wire-receive.h"

#define CONSOLE_MS 10000
#define DRAIN_MS   200

static void drop (int *fd)
{
  if (*fd > STDERR_FILENO)
    close (*fd);
  *fd = -1;
}

void streams_init (struct streams *streams)
{
  *streams = (struct streams){ .directory = -1, .socket = -1, .master = -1 };
  for (int i = 0; i < STREAMS; i++) {
    streams->theirs[i] = -1;
    streams->relays[i].from = streams->relays[i].to = -1;
  }
}

/* ---- A terminal of the container's. */

int streams_set_aside (struct streams *streams, struct error *err)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return error_set_errno (err, errno, "make a pipe");
  streams->theirs[STDERR_FILENO] = ends[1];
  streams->relays[STDERR_FILENO].from = ends[0];
  streams->relays[STDERR_FILENO].to = STDERR_FILENO;
  streams->theirs[STDOUT_FILENO] = fcntl (ends[1], F_DUPFD_CLOEXEC, 3);
  streams->theirs[STDIN_FILENO] = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (streams->theirs[STDOUT_FILENO] < 0 || streams->theirs[STDIN_FILENO] < 0)
    return error_set_errno (err, errno, "keep the standard streams from the low-level runtime");
  return 0;
}

/* By the descriptor of its directory, as the path may be longer than a socket's address can be. */
int streams_listen (struct streams *streams, int directory, struct error *err)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  streams->directory = openat (directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  streams->socket = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (streams->directory < 0 || streams->socket < 0)
    return error_set_errno (err, errno, "make a socket for the terminal");
  streams->path = str_format ("/proc/%d/fd/%d/" RECORD_CONSOLE, (int) getpid (), streams->directory);
  if (streams->path == NULL)
    return error_oom (err);
  snprintf (address.sun_path, sizeof (address.sun_path), "%s", streams->path);
  unlinkat (streams->directory, RECORD_CONSOLE, 0);
  if (bind (streams->socket, (const struct sockaddr *) &address, sizeof (address)) < 0
      || listen (streams->socket, 1) < 0)
    return error_set_errno (err, errno, "listen for the terminal");
  return 0;
}

static void make_raw (struct streams *streams)
{
  struct termios raw;

  if (tcgetattr (STDIN_FILENO, &streams->saved) < 0)
    return;
  raw = streams->saved;
  cfmakeraw (&raw);
  streams->raw = tcsetattr (STDIN_FILENO, TCSANOW, &raw) == 0;
}

int streams_take (struct streams *streams, struct error *err)
{
  struct pollfd waiting = { streams->socket, POLLIN, 0 };
  cleanup_close int peer = -1;
  int master;

  if (poll (&waiting, 1, CONSOLE_MS) == 1)
    peer = accept4 (streams->socket, NULL, NULL, SOCK_CLOEXEC);
  master = peer < 0 ? -EPROTO : descriptor_receive (peer);
  unlinkat (streams->directory, RECORD_CONSOLE, 0);
  if (master < 0)
    return error_set_errno (err, -master, "the low-level runtime handed over no terminal");
  streams->master = master;
  streams->relays[0].from = STDIN_FILENO;
  streams->relays[0].to = fcntl (master, F_DUPFD_CLOEXEC, 3);
  streams->relays[1].from = fcntl (master, F_DUPFD_CLOEXEC, 3);
  streams->relays[1].to = STDOUT_FILENO;
  streams_resize (streams);
  make_raw (streams);
  return 0;
}

void streams_resize (const struct streams *streams)
{
  struct winsize size;

  if (streams->master >= 0 && ioctl (STDIN_FILENO, TIOCGWINSZ, &size) == 0)
    ioctl (streams->master, TIOCSWINSZ, &size);
}

/* ---- Pipes. */

int streams_make (struct streams *streams, struct error *err)
{
  for (int i = 0; i < STREAMS; i++) {
    struct relay *relay = &streams->relays[i];
    bool in = i == STDIN_FILENO;
    int ends[2];

    if (stdio_kind_of (i) != STDIO_OTHER)
      continue;
    if (pipe2 (ends, O_CLOEXEC) < 0)
      return error_set_errno (err, errno, "make a pipe");
    streams->theirs[i] = ends[in ? 0 : 1];
    relay->from = in ? i : ends[0];
    relay->to = in ? ends[1] : i;
  }
  return 0;
}

int streams_enter (const struct streams *streams)
{
  for (int i = 0; i < STREAMS; i++)
    if (streams->theirs[i] >= 0 && dup2 (streams->theirs[i], i) < 0)
      return -errno;
  return 0;
}

void streams_leave (struct streams *streams)
{
  for (int i = 0; i < STREAMS; i++)
    drop (&streams->theirs[i]);
}

/* ---- Copying. */

/* A relay whose end has come lets the other side know. */
static void end_relay (struct relay *relay)
{
  drop (&relay->from);
  drop (&relay->to);
}

static void read_some (struct relay *relay)
{
  ssize_t n = read (relay->from, relay->bytes, sizeof (relay->bytes));

  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (n <= 0)
    end_relay (relay);
  relay->at = 0;
  relay->end = n > 0 ? (size_t) n : 0;
}

static void write_some (struct relay *relay)
{
  ssize_t n = write (relay->to, relay->bytes + relay->at, relay->end - relay->at);

  if (n < 0 && errno != EINTR && errno != EAGAIN)
    end_relay (relay);
  else
    relay->at += n > 0 ? (size_t) n : 0;
}

/* Reads no more than there is room for, so that the two sides never wait for each other. */
bool streams_copy (struct streams *streams, int other, int ms)
{
  struct pollfd fds[STREAMS + 1] = { [STREAMS] = { other, POLLIN, 0 } };

  for (int i = 0; i < STREAMS; i++) {
    const struct relay *relay = &streams->relays[i];
    bool full = relay->at < relay->end;

    fds[i] = (struct pollfd){ full ? relay->to : relay->from, full ? POLLOUT : POLLIN, 0 };
  }
  if (poll (fds, ARRAY_LEN (fds), ms) <= 0)
    return false;
  for (int i = 0; i < STREAMS; i++)
    if (fds[i].revents != 0 && fds[i].events == POLLIN)
      read_some (&streams->relays[i]);
    else if (fds[i].revents != 0)
      write_some (&streams->relays[i]);
  return fds[STREAMS].revents != 0;
}

/* Its processes are gone, so the end of what they wrote is near. */
void streams_drain (struct streams *streams)
{
  struct relay *relays = streams->relays;

  end_relay (&relays[STDIN_FILENO]);
  while (relays[1].from >= 0 || relays[2].from >= 0) {
    struct pollfd fds[] = { { relays[1].from, POLLIN, 0 }, { relays[2].from, POLLIN, 0 } };
    bool full = relays[1].at < relays[1].end || relays[2].at < relays[2].end;

    if (!full && poll (fds, ARRAY_LEN (fds), DRAIN_MS) <= 0)
      return;
    streams_copy (streams, -1, DRAIN_MS);
  }
}

void streams_clear (struct streams *streams)
{
  if (streams->raw)
    tcsetattr (STDIN_FILENO, TCSANOW, &streams->saved);
  if (streams->directory >= 0)
    unlinkat (streams->directory, RECORD_CONSOLE, 0);
  for (int i = 0; i < STREAMS; i++)
    end_relay (&streams->relays[i]);
  streams_leave (streams);
  drop (&streams->directory);
  drop (&streams->socket);
  drop (&streams->master);
  free (streams->path);
  streams->path = NULL;
}
