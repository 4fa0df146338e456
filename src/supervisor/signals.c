/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals and children of a supervisor, as events of its loop.
 *
 * Signals come through a descriptor, so that they are seen in order with everything else. One that asks for
 * an end interrupts whatever is waited for before the command starts; afterwards it is for the command.
 * Orphans that become our children are collected as they end, so that a runtime which waits for the
 * container's processes sees them go.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "supervisor-process.h"

struct signals {
  struct event signals, children; /* of those that are not for us alone, and of children that have ended */
  bool interrupted;               /* an end is wanted before the command has started */
  pid_t parent;                   /* of this process, at first */
};

extern const struct run_part signals_part;

static struct signals *signals_of (const struct run *run)
{
  return run_part_state (run, &signals_part);
}

static void replace_spared (struct run *run, pid_t old, pid_t new)
{
  for (size_t i = 0; i < RUN_SPARED_MAX; i++)
    if (run->spared[i] == old) {
      run->spared[i] = new;
      return;
    }
}

void run_spare (struct run *run, pid_t pid)
{
  replace_spared (run, 0, pid);
}

void run_spare_no_more (struct run *run, pid_t pid)
{
  if (pid > 0)
    replace_spared (run, pid, 0);
}

void run_reap_others (const struct run *run)
{
  pid_t spared[RUN_SPARED_MAX + 1];

  memcpy (spared, run->spared, sizeof (run->spared));
  spared[RUN_SPARED_MAX] = run->init->pid;
  process_reap (spared, ARRAY_LEN (spared));
}

/* Whether the kernel sent it because our caller is gone. The signal of --die-with-parent has the parent as
 * its sender, which is not our parent any more; that of a connection to the daemon's client has a POLL_ code.
 */
static bool is_caller_gone (const struct signals *signals, const struct signalfd_siginfo *info)
{
  if (info->ssi_code >= POLL_IN && info->ssi_code <= POLL_HUP)
    return true;
  return info->ssi_code == SI_USER && (pid_t) info->ssi_pid == signals->parent
         && getppid () != signals->parent;
}

static void on_signals (struct event *event, short revents)
{
  struct run *run = event->data;
  struct signalfd_siginfo info;

  (void) revents;
  while (read (event->fd, &info, sizeof (info)) == (ssize_t) sizeof (info)) {
    int number = (int) info.ssi_signo;
    bool end = number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;

    if (run->course != NULL)
      run_take_signal (run, number, end, is_caller_gone (signals_of (run), &info));
    else if (end) {
      signals_of (run)->interrupted = true;
      run->result.end_signal = number;
    }
  }
}

static void on_children (struct event *event, short revents)
{
  struct signalfd_siginfo info;

  (void) revents;
  while (read (event->fd, &info, sizeof (info)) == (ssize_t) sizeof (info))
    continue;
  run_reap_others (event->data);
}

static int watch (struct run *run, struct event *event, const sigset_t *set,
                  void (*call) (struct event *event, short revents))
{
  *event = (struct event){ .events = POLLIN, .call = call, .data = run };
  event->fd = signalfd (-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (event->fd < 0)
    return error_set_errno (run->err, errno, "watch signals");
  event_add (&run->loop, event);
  return 0;
}

static void init (struct run *run, void *state)
{
  struct signals *signals = state;

  (void) run;
  signals->signals.fd = signals->children.fd = -1;
  signals->parent = getppid ();
}

/* Children have a descriptor of their own: a prewarmed sandbox is discarded for any signal of the other one.
 */
static int prepare (struct run *run, void *state, struct error *err)
{
  struct signals *signals = state;
  sigset_t set, children;
  int r;

  sigemptyset (&children);
  sigaddset (&children, SIGCHLD);
  sigfillset (&set);
  sigdelset (&set, SIGSEGV);
  sigdelset (&set, SIGBUS);
  sigdelset (&set, SIGFPE);
  sigdelset (&set, SIGILL);
  sigdelset (&set, SIGABRT);
  if (sigprocmask (SIG_SETMASK, &set, NULL) < 0)
    return error_set_errno (err, errno, "block signals");
  /* A dead reader, and a limit on files of the caller's, show as errors of write. */
  sigdelset (&set, SIGCHLD);
  sigdelset (&set, SIGPIPE);
  sigdelset (&set, SIGXFSZ);
  sigdelset (&set, SIGTSTP);
  sigdelset (&set, SIGTTIN);
  sigdelset (&set, SIGTTOU);
  r = watch (run, &signals->signals, &set, on_signals);
  return r < 0 ? r : watch (run, &signals->children, &children, on_children);
}

/* Signals stay blocked. */
void run_leave_signals (struct run *run)
{
  struct signals *signals = signals_of (run);

  event_remove (&signals->signals);
  drop_fd (&signals->signals.fd);
  signals->interrupted = false;
}

int run_signals_descriptor (struct run *run)
{
  return signals_of (run)->signals.fd;
}

static void undo (struct run *run, void *state, struct error *err)
{
  struct signals *signals = state;

  (void) err;
  run_reap_others (run);
  event_remove (&signals->children);
  drop_fd (&signals->children.fd);
}

const struct run_part signals_part = {
  .name = "signals", .size = sizeof (struct signals), .init = init, .prepare = prepare, .undo = undo
};

bool run_was_interrupted (struct run *run)
{
  event_loop_turn (&run->loop, 0);
  return signals_of (run)->interrupted;
}

struct awaited {
  struct run *run;
  bool (*done) (void *data);
  void *data;
};

static bool is_awaited (void *data)
{
  const struct awaited *awaited = data;

  return signals_of (awaited->run)->interrupted || awaited->done (awaited->data);
}

int run_await_until (struct run *run, bool (*done) (void *data), void *data, uint64_t until,
                     struct error *err)
{
  struct awaited awaited = { run, done, data };
  int r = event_loop_run (&run->loop, is_awaited, &awaited, until);

  if (signals_of (run)->interrupted)
    return error_set (err, -EINTR, "interrupted before the command was started");
  return r < 0 && r != -ETIMEDOUT ? error_set_errno (err, -r, "wait") : r;
}

static void note_ready (struct event *event, short revents)
{
  (void) revents;
  *(bool *) event->data = true;
}

static bool is_ready (void *data)
{
  return *(const bool *) data;
}

int run_await (struct run *run, int fd, short events, uint64_t until, struct error *err)
{
  bool ready = false;
  struct event event = { .fd = fd, .events = events, .rank = EVENT_LAST, .call = note_ready, .data = &ready };
  int r;

  event_add (&run->loop, &event);
  r = run_await_until (run, is_ready, &ready, until, err);
  event_remove (&event);
  return r;
}

struct dying {
  pid_t pid, done;
  int *ret_status;
};

static bool is_collected (void *data)
{
  struct dying *dying = data;

  dying->done = waitpid (dying->pid, dying->ret_status, WNOHANG);
  return dying->done != 0;
}

/* That it can be collected is told by SIGCHLD, also where a debugger had it first. */
int run_wait_dying (struct run *run, pid_t pid, uint64_t ms, int *ret_status)
{
  struct dying dying = { pid, 0, ret_status };
  int r = event_loop_run (&run->loop, is_collected, &dying, run_now_ms () + ms);

  return r == 0 && dying.done < 0 ? -ECHILD : r;
}
