/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "daemon-listen.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-number.h"
#include "base-str.h"

#define BACKLOG 256

/* The first descriptor that systemd passes; see sd_listen_fds(3). */
#define FIRST_PASSED 3

void listening_withdraw (struct listening *listening)
{
  cleanup_free char *lock = listening->path ? str_format ("%s.lock", listening->path) : NULL;

  if (listening->path != NULL)
    unlink (listening->path);
  if (lock != NULL)
    unlink (lock);
  free (listening->path);
  listening->path = NULL;
}

void listening_clear (struct listening *listening)
{
  listening_withdraw (listening);
  close_p (&listening->fd);
  close_p (&listening->lock);
  *listening = (struct listening) LISTENING_NONE;
}

static bool was_passed (void)
{
  const char *pid = getenv ("LISTEN_PID"), *count = getenv ("LISTEN_FDS");
  uint64_t number;
  bool passed = pid != NULL && number_parse (pid, INT32_MAX, &number) && (pid_t) number == getpid ()
                && str_equal (count, "1");

  /* These must not be inherited. */
  unsetenv ("LISTEN_PID");
  unsetenv ("LISTEN_FDS");
  unsetenv ("LISTEN_FDNAMES");
  return passed;
}

static int adopt (int fd, struct listening *ret_listening, struct error *err)
{
  int type = 0, domain = 0, listens = 0;
  socklen_t size = sizeof (type);

  if (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0
      || getsockopt (fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0
      || getsockopt (fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0)
    return error_set_errno (err, errno, "use the socket that systemd passed");
  if (type != SOCK_SEQPACKET || domain != AF_UNIX || !listens)
    return error_set (
        err, -EPROTOTYPE,
        "the socket that systemd passed is of another type: the unit needs ListenSequentialPacket=");
  if (fcntl (fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl (fd, F_SETFL, O_NONBLOCK) < 0)
    return error_set_errno (err, errno, "use the socket that systemd passed");
  ret_listening->fd = fd;
  return 0;
}

/* Callers send their environment to whatever socket has this name. */
static int check_directory (const char *path, struct error *err)
{
  cleanup_free char *copy = strdup (path);
  const char *directory = copy ? dirname (copy) : NULL;
  struct stat st;

  if (directory == NULL)
    return error_oom (err);
  if (stat (directory, &st) < 0)
    return error_set_errno (err, errno, "look at '%s', the directory of the daemon's socket", directory);
  if ((st.st_uid != geteuid () && st.st_uid != 0) || (st.st_mode & 022) != 0)
    return error_set (err, -EPERM, "'%s' cannot hold the daemon's socket: other users can write there",
                      directory);
  return 0;
}

/* Whether NAME is still the file FD: a daemon that ends removes the file while it has the lock. */
static bool is_current (int fd, const char *name)
{
  struct stat locked, named;

  return fstat (fd, &locked) == 0 && stat (name, &named) == 0 && locked.st_ino == named.st_ino
         && locked.st_dev == named.st_dev;
}

static int take_lock (const char *path, struct error *err)
{
  cleanup_free char *name = str_format ("%s.lock", path);

  if (name == NULL)
    return error_oom (err);
  for (;;) {
    cleanup_close int fd = open (name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
      return error_set_errno (err, errno, "open '%s'", name);
    if (flock (fd, LOCK_EX | LOCK_NB) < 0)
      return errno == EWOULDBLOCK ? error_set (err, -EADDRINUSE, "a daemon listens at '%s' already", path)
                                  : error_set_errno (err, errno, "lock '%s'", name);
    if (is_current (fd, name))
      return take_fd (&fd);
  }
}

static int make (const char *path, struct listening *listening, struct error *err)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  mode_t before;
  int r;

  if (strlen (path) >= sizeof (address.sun_path))
    return error_set (err, -ENAMETOOLONG, "'%s' is too long for a socket", path);
  memcpy (address.sun_path, path, strlen (path) + 1);
  listening->fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening->fd < 0)
    return error_set_errno (err, errno, "make a socket");
  /* The lock is held, so an existing socket is that of a dead daemon. */
  unlink (path);
  before = umask (0177);
  r = bind (listening->fd, (const struct sockaddr *) &address, sizeof (address));
  umask (before);
  if (r < 0 || listen (listening->fd, BACKLOG) < 0)
    return error_set_errno (err, errno, "listen at '%s'", path);
  listening->path = strdup (path);
  return listening->path ? 0 : error_oom (err);
}

int listening_open (const char *path, struct listening *ret_listening, struct error *err)
{
  cleanup_listening struct listening listening = LISTENING_NONE;
  int r;

  if (was_passed ())
    return adopt (FIRST_PASSED, ret_listening, err);
  r = check_directory (path, err);
  if (r < 0)
    return r;
  listening.lock = take_lock (path, err);
  r = listening.lock < 0 ? listening.lock : make (path, &listening, err);
  if (r == 0) {
    *ret_listening = listening;
    listening = (struct listening) LISTENING_NONE;
  }
  return r;
}
