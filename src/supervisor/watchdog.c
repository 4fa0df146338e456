/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"
#include "supervisor-internal.h"
#include "supervisor-privileges.h"
#include "supervisor-process.h"

/* A call of the supervisor's that is not held takes microseconds. */
#define LOOK_MS 250

/* To begin, on a machine that has a lot to do. */
#define BEGIN_MS 10000

#define STATUS_MAX ((size_t) 16 * 1024)

enum { PIDFD = 3 };

struct watch {
  pid_t supervisor, init;
  uint64_t grace_ms;
  struct watchdog_argv *argv;
  uint64_t asked; /* when init was asked to end; 0: it was not */
};

/* Signals as the kernel prints them, in hexadecimal behind NAME. */
static uint64_t pending_of (const char *status, const char *name)
{
  const char *found = strstr (status, name);

  return found ? strtoull (found + strlen (name), NULL, 16) : 0;
}

/* What the supervisor has been sent and cannot hear. */
static uint64_t pending (pid_t pid)
{
  cleanup_free char *path = str_format ("/proc/%d/status", (int) pid);
  cleanup_free char *text = NULL;
  struct error ignored = { 0 };

  if (path == NULL || file_read (AT_FDCWD, path, STATUS_MAX, &text, NULL, &ignored) < 0) {
    error_clear (&ignored);
    return 0;
  }
  return pending_of (text, "\nSigPnd:\t") | pending_of (text, "\nShdPnd:\t");
}

static uint64_t bit (int signal_number)
{
  return UINT64_C (1) << (signal_number - 1);
}

/* The supervisor is held: whoever wants the run to end is heard by us. */
static void on_prewarmed (struct watch *watch)
{
  uint64_t now = run_now_ms (), sent = pending (watch->supervisor);
  uint64_t deadline = atomic_load (&watch->argv->deadline);
  bool wanted = (deadline != 0 && now >= deadline)
                || (sent & (bit (SIGTERM) | bit (SIGINT) | bit (SIGHUP) | bit (SIGQUIT))) != 0;
  bool at_once = (sent & bit (SIGKILL)) != 0;

  if (at_once || (wanted && watch->asked != 0 && now - watch->asked >= watch->grace_ms))
    run_signal (PIDFD, watch->init, SIGKILL);
  else if (wanted && watch->asked == 0) {
    watch->asked = now;
    run_signal (PIDFD, watch->init, SIGTERM);
  }
}

static void __attribute__ ((noreturn)) watch_main (struct watch *watch, int init_pidfd)
{
  const int fds[] = { -1, -1, -1, init_pidfd };
  struct error ignored = { 0 };
  unsigned last = 0;

  prctl (PR_SET_NAME, "tyrum-watchdog");
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != watch->supervisor || run_arrange_descriptors (fds, ARRAY_LEN (fds)) < 0
      || privileges_drop (false, &ignored) < 0)
    _exit (EXIT_FAILURE);
  atomic_store (&watch->argv->watches, true);
  for (;;) {
    unsigned turn = atomic_load (&watch->argv->turn);

    if (turn % 2 == 1 && turn == last)
      on_prewarmed (watch);
    last = turn;
    if (event_look (PIDFD, POLLIN, LOOK_MS) != 0)
      _exit (EXIT_SUCCESS);
  }
}

int watchdog_start (int init_pidfd, pid_t init, uint64_t grace_ms, struct watchdog *ret_watchdog,
                    struct error *err)
{
  struct watch watch = { .supervisor = getpid (), .init = init, .grace_ms = grace_ms };
  struct watchdog_argv *argv =
      mmap (NULL, sizeof (*argv), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t pid;

  if (argv == MAP_FAILED)
    return error_set_errno (err, errno, "share memory with the watchdog");
  watch.argv = argv;
  pid = fork ();
  if (pid == 0)
    watch_main (&watch, init_pidfd);
  if (pid < 0) {
    munmap (argv, sizeof (*argv));
    return error_set_errno (err, errno, "start the watchdog");
  }
  *ret_watchdog = (struct watchdog){ pid, argv };
  return 0;
}

int watchdog_await (const struct watchdog *watchdog, struct error *err)
{
  for (unsigned waited = 0; !atomic_load (&watchdog->argv->watches) && waited < BEGIN_MS; waited++) {
    if (process_has_ended (watchdog->pid))
      break;
    process_pause_ms (1);
  }
  /* One that was held ready with its sandbox may have been killed since. */
  if (!atomic_load (&watchdog->argv->watches) || process_has_ended (watchdog->pid))
    return error_set (err, -ECHILD,
                      "the process that keeps the deadline of a run which holds its streams has ended "
                      "before the command was started; run it again");
  return 0;
}

void watchdog_end (const struct watchdog *watchdog)
{
  if (watchdog->argv != NULL)
    kill (watchdog->pid, SIGKILL);
}

void watchdog_clear (struct watchdog *watchdog)
{
  if (watchdog->argv == NULL)
    return;
  waitpid (watchdog->pid, NULL, 0);
  munmap (watchdog->argv, sizeof (*watchdog->argv));
  *watchdog = (struct watchdog){ 0 };
}
