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

#include "base-cleanup.h"
#include "wire-receive.h"

#define CONSOLE_MS 10000

struct terminal {
  char *console_path;
  int console; /* where the runtime hands a terminal over, or -1 */
  int master;  /* of the run's own terminal, or -1 */
  struct termios saved;
  bool raw; /* the caller's is */
};

extern const struct run_part terminal_part;

static struct terminal *terminal_of (struct run *run)
{
  return run_part_state (run, &terminal_part);
}

int run_terminal_listen (struct run *run)
{
  struct terminal *terminal = terminal_of (run);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd;

  terminal->console_path = str_format ("%s/console", run->dir->path);
  if (terminal->console_path == NULL)
    return error_oom (run->err);
  if (strlen (terminal->console_path) >= sizeof (address.sun_path))
    return error_set (run->err, -ENAMETOOLONG, "'%s' is too long for a socket's name",
                      terminal->console_path);
  memcpy (address.sun_path, terminal->console_path, strlen (terminal->console_path) + 1);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return error_set_errno (run->err, errno, "make a socket");
  terminal->console = fd;
  if (bind (fd, (const struct sockaddr *) &address, sizeof (address)) < 0 || listen (fd, 1) < 0)
    return error_set_errno (run->err, errno, "listen on '%s'", terminal->console_path);
  run->runtime->call.console = terminal->console_path;
  return 0;
}

void run_terminal_resize (struct run *run)
{
  const struct terminal *terminal = terminal_of (run);
  struct winsize size;

  if (terminal->master >= 0 && ioctl (run->options->in, TIOCGWINSZ, &size) == 0)
    ioctl (terminal->master, TIOCSWINSZ, &size);
}

static int make_raw (struct run *run, struct terminal *terminal)
{
  struct termios raw;

  if (tcgetattr (run->options->in, &terminal->saved) < 0)
    return error_set_errno (run->err, errno, "--tty: look at the terminal");
  raw = terminal->saved;
  cfmakeraw (&raw);
  if (tcsetattr (run->options->in, TCSANOW, &raw) < 0)
    return error_set_errno (run->err, errno, "--tty: set the terminal");
  terminal->raw = true;
  return 0;
}

/* After create, the runtime has connected or never will. */
int run_terminal_accept (struct run *run)
{
  const struct terminal *terminal = terminal_of (run);
  cleanup_close int peer = -1;
  int master, r;

  r = run_await (run, terminal->console, POLLIN, run_now_ms () + CONSOLE_MS, run->err);
  if (r < 0 && r != -ETIMEDOUT)
    return r;
  if (r == 0)
    peer = accept4 (terminal->console, NULL, NULL, SOCK_CLOEXEC);
  master = peer < 0 ? -EPROTO : descriptor_receive (peer);
  if (master < 0)
    return error_set_errno (run->err, -master, "%s handed over no terminal", run->name);
  return run_terminal_take (run, master);
}

int run_terminal_take (struct run *run, int master)
{
  struct terminal *terminal = terminal_of (run);
  int copy;

  terminal->master = master;
  copy = fcntl (terminal->master, F_DUPFD_CLOEXEC, 3);
  if (copy < 0 || fcntl (terminal->master, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
    return error_set_errno (run->err, errno, "--tty: set up the terminal");
  /* Nothing is connected to the pipes that were made for a run without one. */
  for (size_t i = 0; i < STREAM_COUNT; i++)
    stream_clear (&run->streams[i]);
  run->streams[STREAM_IN].from = fcntl (run->options->in, F_DUPFD_CLOEXEC, 3);
  run->streams[STREAM_IN].to = copy;
  run->streams[STREAM_IN].own_to = true;
  run->streams[STREAM_OUT].from = fcntl (terminal->master, F_DUPFD_CLOEXEC, 3);
  run->streams[STREAM_OUT].to = run->options->out;
  if (run->streams[STREAM_IN].from < 0 || run->streams[STREAM_OUT].from < 0)
    return error_set_errno (run->err, errno, "--tty: copy the terminal");
  run_terminal_resize (run);
  return make_raw (run, terminal);
}

void run_terminal_hang_up (struct run *run)
{
  struct terminal *terminal = terminal_of (run);

  if (terminal->master < 0)
    return;
  stream_clear (&run->streams[STREAM_IN]);
  drop_fd (&terminal->master);
}

static void init (struct run *run, void *state)
{
  struct terminal *terminal = state;

  (void) run;
  terminal->console = terminal->master = -1;
}

static void undo (struct run *run, void *state, struct error *err)
{
  struct terminal *terminal = state;

  (void) err;
  /* At once: output that is not read would hold us here. */
  if (terminal->raw)
    tcsetattr (run->options->in, TCSANOW, &terminal->saved);
  terminal->raw = false;
  drop_fd (&terminal->console);
  drop_fd (&terminal->master);
  free (take_ptr (terminal->console_path));
}

const struct run_part terminal_part = {
  .name = "terminal", .size = sizeof (struct terminal), .init = init, .undo = undo
};
