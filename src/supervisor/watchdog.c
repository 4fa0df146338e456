/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The watchdog: a process that ends a container which holds its supervisor.
 *
 * The streams of a run are pipes, and the kernel locks a pipe: a command that sits in splice(2) has the
 * lock, and a read, write or close at our end waits for it with no way out, blocking or not. So a process
 * that touches a stream can keep no deadline, and read no signal, for certain. The watchdog touches none:
 * it has init's pidfd and a number in shared memory, which is odd while the supervisor is in such a call.
 * Where it stays odd, and the deadline is past or the supervisor was signalled, it asks init to end, and
 * then ends it. Holding the supervisor alone is no reason: a command may wait in splice as long as it
 * likes.
 *
 * It knows nothing of the run's directory, keeps none of its descriptors and no privilege but to signal.
 * It is started while init answers, so that nothing waits for it.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"
#include "supervisor-privileges.h"
#include "supervisor-process.h"

/* A call of the supervisor's that is not held takes microseconds. */
#define LOOK_MS 250

/* To begin, on a machine that has a lot to do. */
#define BEGIN_MS 10000

#define STATUS_MAX ((size_t) 16 * 1024)

struct watchdog {
  struct helper helper;
  struct watchdog_memory *memory; /* NULL: there is no watchdog */
};

extern const struct run_part watchdog_part;

struct watch {
  pid_t supervisor, init;
  struct watchdog_memory *memory;
  uint64_t asked; /* when init was asked to end; 0: it was not */
};

/* Signals as the kernel prints them, in hexadecimal after NAME. */
static uint64_t pending_of (const char *status, const char *name)
{
  const char *found = strstr (status, name);

  return found ? strtoull (found + strlen (name), NULL, 16) : 0;
}

/* What the supervisor has been sent and cannot read. */
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

/* As in the loop: a deadline that passes in the grace period of a signal brings the KILL forward. */
static bool is_grace_over (const struct watch *watch, uint64_t now, uint64_t deadline)
{
  uint64_t since = watch->asked > deadline ? watch->asked : deadline;

  if (watch->asked == 0)
    return false;
  if (now - watch->asked >= atomic_load (&watch->memory->grace))
    return true;
  return deadline != 0 && now >= deadline && now - since >= atomic_load (&watch->memory->limit_grace);
}

/* The supervisor is held: the deadline and its pending signals are ours to act on. */
static void on_held (struct watch *watch)
{
  uint64_t now = run_now_ms (), sent = pending (watch->supervisor);
  uint64_t deadline = atomic_load (&watch->memory->deadline);
  bool wanted = (deadline != 0 && now >= deadline)
                || (sent & (bit (SIGTERM) | bit (SIGINT) | bit (SIGHUP) | bit (SIGQUIT))) != 0;
  bool at_once = (sent & bit (SIGKILL)) != 0;

  if (at_once || (wanted && is_grace_over (watch, now, deadline))) {
    atomic_store (&watch->memory->killed, true);
    run_signal (HELPER_FD, watch->init, SIGKILL);
  } else if (wanted && watch->asked == 0) {
    watch->asked = now;
    run_signal (HELPER_FD, watch->init, SIGTERM);
  }
}

static int watch_main (void *data)
{
  struct watch *watch = data;
  struct error ignored = { 0 };
  unsigned last = 0;

  if (privileges_drop (false, &ignored) < 0)
    return EXIT_FAILURE;
  atomic_store (&watch->memory->watches, true);
  for (;;) {
    unsigned turn = atomic_load (&watch->memory->turn);

    if (turn % 2 == 1 && turn == last)
      on_held (watch);
    last = turn;
    if (event_look (HELPER_FD, POLLIN, LOOK_MS) != 0)
      return EXIT_SUCCESS;
  }
}

struct watchdog_memory *run_watchdog_memory (struct run *run)
{
  return ((struct watchdog *) run_part_state (run, &watchdog_part))->memory;
}

int run_guard (struct run *run)
{
  struct watchdog *watchdog = run_part_state (run, &watchdog_part);
  struct watch watch = { .supervisor = getpid (), .init = run->init->pid };
  const struct helper_call call = {
    .name = "tyrum-watchdog", .fds = &run->init->pidfd, .fd_count = 1, .main = watch_main, .data = &watch
  };
  int r;

  if (watchdog->memory != NULL)
    return 0;
  watch.memory =
      mmap (NULL, sizeof (*watch.memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (watch.memory == MAP_FAILED)
    return error_set_errno (run->err, errno, "share memory with the watchdog");
  watchdog->memory = watch.memory;
  r = helper_fork (&call, &watchdog->helper, run->err);
  if (r < 0)
    return error_prefix (run->err, "start the watchdog");
  run_spare (run, watchdog->helper.pid);
  return 0;
}

/* Waits until it watches. */
static int start (struct run *run, void *state, struct error *err)
{
  const struct watchdog *watchdog = state;
  int r = run_guard (run);

  if (r < 0)
    return r;
  for (unsigned waited = 0; !atomic_load (&watchdog->memory->watches) && waited < BEGIN_MS; waited++) {
    if (process_has_ended (watchdog->helper.pid))
      break;
    process_pause_ms (1);
  }
  /* One of a prewarmed sandbox may have been killed since. */
  if (!atomic_load (&watchdog->memory->watches) || process_has_ended (watchdog->helper.pid))
    return error_set (err, -ECHILD,
                      "the process that keeps the deadline of a run which holds its streams has ended "
                      "before the command was started; run it again");
  return 0;
}

static void undo (struct run *run, void *state, struct error *err)
{
  struct watchdog *watchdog = state;

  (void) err;
  run_spare_no_more (run, watchdog->helper.pid);
  helper_clear (&watchdog->helper);
  if (watchdog->memory != NULL)
    munmap (watchdog->memory, sizeof (*watchdog->memory));
  watchdog->memory = NULL;
}

const struct run_part watchdog_part = {
  .name = "watchdog", .size = sizeof (struct watchdog), .start = start, .undo = undo
};
