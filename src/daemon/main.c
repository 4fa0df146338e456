/* tyrum-oci-launcher: stays, and launches for `run` and `toolrunner` of the same user.
 *
 * A caller connects, hands over what makes it a process (streams, folder, environment, limits), and waits.
 * For each a process is forked that does the same as the caller would have done, in its place and under its
 * eyes. What is saved is starting: this program has libcrun in it, loaded and checked once, and its forks
 * have it without an execution. With sandboxes held ready (pool.c) most of the launch itself is saved as
 * well.
 *
 * One loop, no threads, nothing that waits. A process that serves a caller does not need this one any more:
 * when it is killed, runs go on, and what is lost are requests that nobody had taken, which their callers
 * then do alone.
 *
 * Must never: do anything for another user, for one who has less than this process has, or twice.
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
#include "cli-delegate.h"
#include "cli-prewarmed.h"
#include "daemon-argv.h"
#include "daemon-listen.h"
#include "daemon-memory.h"
#include "daemon-pool.h"
#include "daemon-serve.h"
#include "libcrun-helper-helper.h"
#include "session-context.h"
#include "session-paths.h"
#include "state-run-dir.h"

enum { EXIT_USAGE = 2 };

/* Who connects sends its request at once. */
#define PENDING_MAX 64
#define PENDING_MS  1000

#define ACCEPT_AGAIN_MS 100

struct pending {
  int fd;
  uint64_t until;
};

struct launcher {
  struct configuration *configuration;
  char *program;       /* what was installed when it was started */
  struct stat started; /* and what that was */
  struct listening listening;
  struct pool *pool;
  int signals;
  struct pending pending[PENDING_MAX];
  size_t pending_count;
  unsigned serving;      /* processes that stand in for callers */
  uint64_t idle_since;   /* 0: something is going on */
  uint64_t accept_after; /* 0: at once */
  bool ending;
};

static uint64_t now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* After an update callers are the new program's, and so must be what stands in for them. */
static bool is_installed (const struct launcher *launcher)
{
  struct stat now;

  return stat (launcher->program, &now) == 0 && now.st_dev == launcher->started.st_dev
         && now.st_ino == launcher->started.st_ino && now.st_ctim.tv_sec == launcher->started.st_ctim.tv_sec
         && now.st_ctim.tv_nsec == launcher->started.st_ctim.tv_nsec;
}

/* In the child nothing of the loop is left but what it was forked for. */
static void start_serving (struct launcher *launcher, struct handed *handed)
{
  bool current = is_installed (launcher), given = current && pool_give (launcher->pool, handed, now_ms ());
  pid_t pid = given || !current ? -1 : fork ();

  launcher->ending = launcher->ending || !current;
  if (pid == 0)
    serve (handed);
  if (given || pid > 0)
    launcher->serving++;
  else
    handed_tell (handed->connection, LAUNCHER_DECLINED, 0);
  handed_clear (handed);
}

static void forget_pending (struct launcher *launcher, size_t at)
{
  launcher->pending[at] = launcher->pending[--launcher->pending_count];
}

static void on_pending (struct launcher *launcher, size_t at)
{
  struct handed handed = HANDED_NONE;
  int r = handed_receive (launcher->pending[at].fd, &handed);

  forget_pending (launcher, at);
  if (r == 0)
    start_serving (launcher, &handed);
}

static void on_connections (struct launcher *launcher)
{
  while (launcher->pending_count < PENDING_MAX) {
    int fd = accept4 (launcher->listening.fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0) {
      /* Without descriptors there is nothing to do but wait until some are given back. */
      launcher->accept_after = errno == EAGAIN ? 0 : now_ms () + ACCEPT_AGAIN_MS;
      return;
    }
    launcher->pending[launcher->pending_count++] = (struct pending){ fd, now_ms () + PENDING_MS };
    /* Most have sent it by now. */
    if (poll (&(struct pollfd){ fd, POLLIN, 0 }, 1, 0) > 0)
      on_pending (launcher, launcher->pending_count - 1);
  }
}

static void on_signals (struct launcher *launcher)
{
  struct signalfd_siginfo info;
  pid_t pid;

  while (read (launcher->signals, &info, sizeof (info)) == (ssize_t) sizeof (info))
    launcher->ending = launcher->ending || info.ssi_signo != SIGCHLD;
  while ((pid = waitpid (-1, NULL, WNOHANG)) > 0)
    if (!pool_reaped (launcher->pool, pid) && launcher->serving > 0)
      launcher->serving--;
}

static int open_signals (struct error *err)
{
  sigset_t set;
  int fd;

  /* Who ignores that children end never hears of it. */
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

/* Milliseconds until something is due; -1: nothing is. */
static int next_timeout (const struct launcher *launcher)
{
  uint64_t now = now_ms (), next = UINT64_MAX;

  for (size_t i = 0; i < launcher->pending_count; i++)
    if (launcher->pending[i].until < next)
      next = launcher->pending[i].until;
  if (launcher->idle_since != 0 && launcher->idle_since + launcher->configuration->launcher_idle < next)
    next = launcher->idle_since + launcher->configuration->launcher_idle;
  if (launcher->accept_after > now && launcher->accept_after < next)
    next = launcher->accept_after;
  if (pool_next (launcher->pool) < next)
    next = pool_next (launcher->pool);
  if (next == UINT64_MAX)
    return -1;
  return next <= now ? 0 : (int) (next - now > 60000 ? 60000 : next - now);
}

static void on_time (struct launcher *launcher)
{
  uint64_t now = now_ms ();

  for (size_t i = 0; i < launcher->pending_count;)
    if (launcher->pending[i].until <= now) {
      close (launcher->pending[i].fd);
      forget_pending (launcher, i);
    } else
      i++;
  if (launcher->serving > 0 || launcher->pending_count > 0)
    launcher->idle_since = 0;
  else if (launcher->idle_since == 0)
    launcher->idle_since = now;
  if (launcher->idle_since != 0 && now - launcher->idle_since >= launcher->configuration->launcher_idle)
    launcher->ending = true;
  pool_fill (launcher->pool, now);
}

static bool may_accept (const struct launcher *launcher)
{
  return launcher->pending_count < PENDING_MAX && now_ms () >= launcher->accept_after;
}

static int loop (struct launcher *launcher, struct error *err)
{
  struct pollfd fds[2 + PENDING_MAX + 2 * READY_MAX];

  while (!launcher->ending) {
    size_t count, held;

    on_time (launcher);
    count = launcher->pending_count;
    fds[0] = (struct pollfd){ may_accept (launcher) ? launcher->listening.fd : -1, POLLIN, 0 };
    fds[1] = (struct pollfd){ launcher->signals, POLLIN, 0 };
    for (size_t i = 0; i < count; i++)
      fds[2 + i] = (struct pollfd){ launcher->pending[i].fd, POLLIN, 0 };
    held = pool_watch (launcher->pool, fds + 2 + count);
    if (poll (fds, 2 + count + held, next_timeout (launcher)) < 0 && errno != EINTR)
      return error_set_errno (err, errno, "wait for callers");
    pool_hear (launcher->pool, fds + 2 + count, held, now_ms ());
    for (size_t i = count; i-- > 0;)
      if (fds[2 + i].revents != 0)
        on_pending (launcher, i);
    if (fds[0].revents != 0)
      on_connections (launcher);
    if (fds[1].revents != 0)
      on_signals (launcher);
  }
  /* Who has come by now is served; who comes later finds nobody. */
  listening_withdraw (&launcher->listening);
  on_connections (launcher);
  return 0;
}

/* The folder of live runs is where the socket usually is; it may not be there yet. */
static int open_socket (struct launcher *launcher, const char *given, struct error *err)
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
    r = through_socket (launcher->configuration, &path, err);
    if (r < 0)
      return r;
  }
  return listening_open (given ? given : path, &launcher->listening, err);
}

/* What most will ask for. What others do is planned from the files each time, and so is this: only what was
 * read before is not taken apart again. */
static void rehearse (const struct configuration *configuration)
{
  held_rehearse ("baseline");
  held_rehearse ("hardened");
  for (size_t i = 0; i < configuration->ready.count; i++)
    held_rehearse (configuration->ready.items[i]);
}

static int stay (struct launcher *launcher, const struct words *words, struct error *err)
{
  int r = context_configuration (&launcher->configuration, err);

  if (r == 0 && (prctl (PR_GET_SECCOMP, 0, 0, 0, 0) != 0 || prctl (PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0))
    r = error_set (
        err, -EPERM,
        "a process under a seccomp filter, or with no_new_privileges, would serve nobody; start it from one "
        "without");
  launcher->program = own_program ("tyrum-oci-launcher");
  if (r == 0 && launcher->program == NULL)
    r = error_oom (err);
  if (r == 0 && stat (launcher->program, &launcher->started) < 0)
    r = error_set_errno (err, errno, "look at '%s'", launcher->program);
  if (r == 0 && words->idle > 0)
    launcher->configuration->launcher_idle = words->idle;
  if (r == 0)
    r = pool_new (launcher->configuration, &launcher->pool, err);
  if (r == 0)
    r = open_socket (launcher, words->socket, err);
  if (r < 0)
    return r;
  launcher->signals = open_signals (err);
  if (launcher->signals < 0)
    return launcher->signals;
  rehearse (launcher->configuration);
  memory_fill_holes ();
  return loop (launcher, err);
}

int main (int argc, char **argv)
{
  struct launcher launcher = { .listening = LISTENING_NONE, .signals = -1 };
  cleanup_error struct error err = { 0 };
  struct words words = { 0 };
  int r;

  memory_prepare ();
  r = words_read (argc, argv, &words, &err);

  if (r < 0) {
    fprintf (stderr, "tyrum-oci-launcher: %s (this program is started by 'tyrum-oci launcher')\n",
             error_text (&err));
    return EXIT_USAGE;
  }
  /* Executed from a sealed copy it has the name of that. */
  prctl (PR_SET_NAME, "tyrum-launcher");
  own_set_launch (launch_main);
  r = stay (&launcher, &words, &err);
  listening_clear (&launcher.listening);
  pool_free (launcher.pool);
  configuration_free (launcher.configuration);
  free (launcher.program);
  close_p (&launcher.signals);
  /* Two that were started at the same time are one too many, and nobody's mistake. */
  if (r == 0 || (r == -EADDRINUSE && words.background))
    return EXIT_SUCCESS;
  fprintf (stderr, "tyrum-oci launcher: %s\n", error_text (&err));
  return EXIT_FAILURE;
}
