/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A terminal of the run's own: the runtime, or init, makes a pty inside and hands its master over.
 *
 * The caller's terminal is never given to the command. It is put into raw mode while the command runs, so
 * that keys reach the command as they are typed, and set back on every path, also when the run fails.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "wire-receive.h"

#define CONSOLE_MS 10000

int run_terminal_listen (struct run *run)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd;

  run->console_path = str_format ("%s/console", run->dir.path);
  if (run->console_path == NULL)
    return error_oom (run->err);
  if (strlen (run->console_path) >= sizeof (address.sun_path))
    return error_set (run->err, -ENAMETOOLONG, "'%s' is too long for a socket's name", run->console_path);
  memcpy (address.sun_path, run->console_path, strlen (run->console_path) + 1);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return error_set_errno (run->err, errno, "make a socket");
  run->console = fd;
  if (bind (fd, (const struct sockaddr *) &address, sizeof (address)) < 0 || listen (fd, 1) < 0)
    return error_set_errno (run->err, errno, "listen on '%s'", run->console_path);
  run->call.console = run->console_path;
  return 0;
}

void run_terminal_resize (struct run *run)
{
  struct winsize size;

  if (run->terminal >= 0 && ioctl (run->options->in, TIOCGWINSZ, &size) == 0)
    ioctl (run->terminal, TIOCSWINSZ, &size);
}

static int make_raw (struct run *run)
{
  struct termios raw;

  if (tcgetattr (run->options->in, &run->saved_terminal) < 0)
    return error_set_errno (run->err, errno, "--tty: look at the terminal");
  raw = run->saved_terminal;
  cfmakeraw (&raw);
  if (tcsetattr (run->options->in, TCSANOW, &raw) < 0)
    return error_set_errno (run->err, errno, "--tty: set the terminal");
  run->terminal_is_raw = true;
  return 0;
}

/* After create, the runtime has connected or never will. */
int run_terminal_accept (struct run *run)
{
  cleanup_close int peer = -1;
  int master, r;

  r = run_await (run, run->console, POLLIN, run_now_ms () + CONSOLE_MS, run->err);
  if (r < 0 && r != -ETIMEDOUT)
    return r;
  if (r == 0)
    peer = accept4 (run->console, NULL, NULL, SOCK_CLOEXEC);
  master = peer < 0 ? -EPROTO : descriptor_receive (peer);
  if (master < 0)
    return error_set_errno (run->err, -master, "%s handed over no terminal", run->name);
  return run_terminal_take (run, master);
}

int run_terminal_take (struct run *run, int master)
{
  int copy;

  run->terminal = master;
  copy = fcntl (run->terminal, F_DUPFD_CLOEXEC, 3);
  if (copy < 0 || fcntl (run->terminal, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
    return error_set_errno (run->err, errno, "--tty: set up the terminal");
  /* The pipes that were made for a run without one have nobody at their other end. */
  for (size_t i = 0; i < STREAM_COUNT; i++)
    stream_clear (&run->streams[i]);
  run->streams[STREAM_IN].from = fcntl (run->options->in, F_DUPFD_CLOEXEC, 3);
  run->streams[STREAM_IN].to = copy;
  run->streams[STREAM_IN].own_to = true;
  run->streams[STREAM_OUT].from = fcntl (run->terminal, F_DUPFD_CLOEXEC, 3);
  run->streams[STREAM_OUT].to = run->options->out;
  if (run->streams[STREAM_IN].from < 0 || run->streams[STREAM_OUT].from < 0)
    return error_set_errno (run->err, errno, "--tty: copy the terminal");
  run_terminal_resize (run);
  return make_raw (run);
}

void run_terminal_restore (struct run *run)
{
  if (run->terminal_is_raw)
    /* At once: output that nobody reads would hold us here. */
    tcsetattr (run->options->in, TCSANOW, &run->saved_terminal);
  run->terminal_is_raw = false;
}

void run_terminal_hang_up (struct run *run)
{
  if (run->terminal < 0)
    return;
  stream_clear (&run->streams[STREAM_IN]);
  close_p (&run->terminal);
  run->terminal = -1;
}
