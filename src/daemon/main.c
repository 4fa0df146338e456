/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tyrum-oci-daemon: makes runs for `run` and `toolrunner` of the same user.
 *
 * A caller connects, sends its streams, directory, environment and limits, and waits. The daemon forks a
 * process for it, which makes the run as the caller would have. This saves the start of programs: libcrun is
 * part of this program, loaded and checked once, and its forks have it without an exec. Prewarmed sandboxes
 * (pool.c) save most of the launch as well.
 *
 * One loop, no threads, no blocking call. A process that makes a run does not depend on the daemon: if the
 * daemon is killed, runs continue, and callers whose request was not taken make their runs themselves.
 *
 * Must never: do anything for another user or for a process with fewer privileges, or make a run twice.
 */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "daemon-argv.h"
#include "daemon-listen.h"
#include "daemon-pool.h"
#include "daemon-prewarmed.h"
#include "daemon-serve.h"
#include "libcrun-helper-helper.h"
#include "session-delegate.h"
#include "session-paths.h"
#include "state-run-dir.h"

enum { EXIT_USAGE = 2 };

/* A caller has this long to send its request after it has connected. */
#define PENDING_MAX 64
#define PENDING_MS  1000

#define ACCEPT_AGAIN_MS 100

struct pending {
  int fd;
  uint64_t until;
};

struct daemon {
  struct configuration *configuration;
  struct session_process process; /* of forks; without the configuration, which each caller has for itself */
  char *program;                  /* the installed path of this program */
  struct stat started;            /* the file at that path when the daemon started */
  struct listening listening;
  struct pool *pool;
  int signals;
  struct pending pending[PENDING_MAX];
  size_t pending_count;
  unsigned serving;      /* processes that make runs for callers */
  uint64_t idle_since;   /* 0: not idle */
  uint64_t accept_after; /* 0: at once */
  bool ending;
};

static uint64_t now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* After an update the daemon must not make runs with the old program. */
static bool is_installed (const struct daemon *daemon)
{
  struct stat now;

  return stat (daemon->program, &now) == 0 && now.st_dev == daemon->started.st_dev
         && now.st_ino == daemon->started.st_ino && now.st_ctim.tv_sec == daemon->started.st_ctim.tv_sec
         && now.st_ctim.tv_nsec == daemon->started.st_ctim.tv_nsec;
}

static void start_serving (struct daemon *daemon, struct handed *handed)
{
  bool current = is_installed (daemon), given = current && pool_give (daemon->pool, handed, now_ms ());
  pid_t pid = given || !current ? -1 : fork ();

  daemon->ending = daemon->ending || !current;
  if (pid == 0)
    serve (handed, &daemon->process);
  if (given || pid > 0)
    daemon->serving++;
  else
    handed_tell (handed->connection, DAEMON_DECLINED, 0);
  handed_clear (handed);
}

static void forget_pending (struct daemon *daemon, size_t at)
{
  daemon->pending[at] = daemon->pending[--daemon->pending_count];
}

static void on_pending (struct daemon *daemon, size_t at)
{
  struct handed handed = HANDED_NONE;
  int r = handed_receive (daemon->pending[at].fd, &handed);

  forget_pending (daemon, at);
  if (r == 0)
    start_serving (daemon, &handed);
}

static void on_connections (struct daemon *daemon)
{
  while (daemon->pending_count < PENDING_MAX) {
    int fd = accept4 (daemon->listening.fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0) {
      /* Out of descriptors: wait until some are closed. */
      daemon->accept_after = errno == EAGAIN ? 0 : now_ms () + ACCEPT_AGAIN_MS;
      return;
    }
    daemon->pending[daemon->pending_count++] = (struct pending){ fd, now_ms () + PENDING_MS };
    /* Most callers have sent it by now. */
    if (poll (&(struct pollfd){ fd, POLLIN, 0 }, 1, 0) > 0)
      on_pending (daemon, daemon->pending_count - 1);
  }
}

static void on_signals (struct daemon *daemon)
{
  struct signalfd_siginfo info;
  pid_t pid;

  while (read (daemon->signals, &info, sizeof (info)) == (ssize_t) sizeof (info))
    daemon->ending = daemon->ending || info.ssi_signo != SIGCHLD;
  while ((pid = waitpid (-1, NULL, WNOHANG)) > 0)
    if (!pool_reaped (daemon->pool, pid) && daemon->serving > 0)
      daemon->serving--;
}

static int open_signals (struct error *err)
{
  sigset_t set;
  int fd;

  /* With SIGCHLD ignored there would be no status to wait for. */
  serve_default_signals ();

  sigemptyset (&set);
  sigaddset (&set, SIGCHLD);
  sigaddset (&set, SIGTERM);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGHUP);
  if (sigprocmask (SIG_SETMASK, &set, NULL) < 0)
    return error_set_errno (err, errno, "block signals");
  fd = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return fd < 0 ? error_set_errno (err, errno, "watch signals") : fd;
}

/* Milliseconds until the next deadline; -1: there is none. */
static int next_timeout (const struct daemon *daemon)
{
  uint64_t now = now_ms (), next = UINT64_MAX;

  for (size_t i = 0; i < daemon->pending_count; i++)
    if (daemon->pending[i].until < next)
      next = daemon->pending[i].until;
  if (daemon->idle_since != 0 && daemon->idle_since + daemon->configuration->daemon_idle < next)
    next = daemon->idle_since + daemon->configuration->daemon_idle;
  if (daemon->accept_after > now && daemon->accept_after < next)
    next = daemon->accept_after;
  if (pool_next (daemon->pool) < next)
    next = pool_next (daemon->pool);
  if (next == UINT64_MAX)
    return -1;
  return next <= now ? 0 : (int) (next - now > 60000 ? 60000 : next - now);
}

static void on_time (struct daemon *daemon)
{
  uint64_t now = now_ms ();

  for (size_t i = 0; i < daemon->pending_count;)
    if (daemon->pending[i].until <= now) {
      close (daemon->pending[i].fd);
      forget_pending (daemon, i);
    } else
      i++;
  if (daemon->serving > 0 || daemon->pending_count > 0)
    daemon->idle_since = 0;
  else if (daemon->idle_since == 0)
    daemon->idle_since = now;
  if (daemon->idle_since != 0 && now - daemon->idle_since >= daemon->configuration->daemon_idle)
    daemon->ending = true;
  pool_fill (daemon->pool, now);
}

static bool may_accept (const struct daemon *daemon)
{
  return daemon->pending_count < PENDING_MAX && now_ms () >= daemon->accept_after;
}

static int loop (struct daemon *daemon, struct error *err)
{
  struct pollfd fds[2 + PENDING_MAX + 2 * READY_MAX];

  while (!daemon->ending) {
    size_t count, prewarmed;

    on_time (daemon);
    count = daemon->pending_count;
    fds[0] = (struct pollfd){ may_accept (daemon) ? daemon->listening.fd : -1, POLLIN, 0 };
    fds[1] = (struct pollfd){ daemon->signals, POLLIN, 0 };
    for (size_t i = 0; i < count; i++)
      fds[2 + i] = (struct pollfd){ daemon->pending[i].fd, POLLIN, 0 };
    prewarmed = pool_watch (daemon->pool, fds + 2 + count);
    if (poll (fds, 2 + count + prewarmed, next_timeout (daemon)) < 0 && errno != EINTR)
      return error_set_errno (err, errno, "wait for callers");
    pool_receive (daemon->pool, fds + 2 + count, prewarmed, now_ms ());
    for (size_t i = count; i-- > 0;)
      if (fds[2 + i].revents != 0)
        on_pending (daemon, i);
    if (fds[0].revents != 0)
      on_connections (daemon);
    if (fds[1].revents != 0)
      on_signals (daemon);
  }
  /* Callers that have connected by now are still served. */
  listening_withdraw (&daemon->listening);
  on_connections (daemon);
  return 0;
}

/* The default socket is in the directory of live runs, which may not exist yet. */
static int open_socket (struct daemon *daemon, const char *given, struct error *err)
{
  cleanup_free char *path = NULL, *state = NULL;
  cleanup_close int runs = -1;
  int r = host_look_state_dir (&state, err);

  if (r < 0)
    return r;
  runs = run_state_make (state, "runs", 0711, err);
  if (runs < 0)
    return runs;
  if (given == NULL) {
    r = delegate_socket (daemon->configuration, &path, err);
    if (r < 0)
      return r;
  }
  return listening_open (given ? given : path, &daemon->listening, err);
}

/* Fills the caches for the usual profiles. Each run is still planned from the files; only text that has been
 * parsed before is not parsed again. */
static void rehearse (struct daemon *daemon)
{
  const struct strlist *ready = &daemon->configuration->ready;

  prewarmed_rehearse (&daemon->process, "baseline");
  prewarmed_rehearse (&daemon->process, "hardened");
  for (size_t i = 0; i < ready->count; i++)
    prewarmed_rehearse (&daemon->process, ready->items[i]);
}

static int stay (struct daemon *daemon, const struct daemon_options *given, struct error *err)
{
  const struct configuration *read;
  int r = session_process_configuration (&daemon->process, &read, err);

  daemon->configuration = take_ptr (daemon->process.configuration);

  if (r == 0 && (prctl (PR_GET_SECCOMP, 0, 0, 0, 0) != 0 || prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0))
    r = error_set (
        err, -EPERM,
        "a daemon under a seccomp filter or with no_new_privs would decline every caller; start it from a "
        "process that has neither");
  daemon->program = paths_program ("tyrum-oci-daemon");
  if (r == 0 && daemon->program == NULL)
    r = error_oom (err);
  if (r == 0 && stat (daemon->program, &daemon->started) < 0)
    r = error_set_errno (err, errno, "look at '%s'", daemon->program);
  if (r == 0 && given->idle > 0)
    daemon->configuration->daemon_idle = given->idle;
  if (r == 0)
    r = pool_new (daemon->configuration, &daemon->process, &daemon->pool, err);
  if (r == 0)
    r = open_socket (daemon, given->socket, err);
  if (r < 0)
    return r;
  daemon->signals = open_signals (err);
  if (daemon->signals < 0)
    return daemon->signals;
  rehearse (daemon);
  return loop (daemon, err);
}

int main (int argc, char **argv)
{
  struct daemon daemon = { .listening = LISTENING_NONE, .process = { .helper = helper_main }, .signals = -1 };
  cleanup_error struct error err = { 0 };
  struct daemon_options given = { 0 };
  int r = daemon_options_read (argv + (argc > 0), &given, &err);

  if (r < 0) {
    fprintf (stderr, "tyrum-oci-daemon: %s (this program is started by 'tyrum-oci daemon')\n",
             error_text (&err));
    return EXIT_USAGE;
  }
  /* When executed from a sealed copy, its name would be that of the memory file. */
  prctl (PR_SET_NAME, "tyrum-daemon");
  r = stay (&daemon, &given, &err);
  listening_clear (&daemon.listening);
  pool_free (daemon.pool);
  configuration_free (daemon.configuration);
  free (daemon.program);
  close_p (&daemon.signals);
  /* Two runs may start a daemon at the same time; the second one has nothing to do. */
  if (r == 0 || (r == -EADDRINUSE && given.background))
    return EXIT_SUCCESS;
  fprintf (stderr, "tyrum-oci daemon: %s\n", error_text (&err));
  return EXIT_FAILURE;
}
