/* From the go-ahead to the end: streams, signals, the deadline, and how the command ended.
 *
 * The end comes within a bound. A run that is made to end gets TERM, after GRACE_MS KILL, and what is still
 * there RUN_END_MS later is left to gc: init cannot go while a process that joined its pid namespace from
 * outside is a zombie whose parent does not collect it. Orphans that become our children are collected as
 * they end.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"

/* After TERM a command has this long to end by itself. */
#define GRACE_MS 2000

/* When the container is gone its pipes end at once; a process that kept one open elsewhere must not hold us.
 */
#define DRAIN_MS 1000

/* The command has ended by itself, and the kernel ends the rest with init. To give much memory back takes
 * time. */
#define REST_MS 20000

enum slot {
  SLOT_INIT,
  SLOT_STATUS,
  SLOT_SIGNALS,
  SLOT_CHILDREN,
  SLOT_DEADLINE,
  SLOT_LISTENER,
  SLOT_MASK_WATCH,
  SLOT_STREAMS,
  SLOT_COUNT = SLOT_STREAMS + 2 * STREAM_COUNT
};

struct loop {
  struct run *run;
  struct pollfd fds[SLOT_COUNT];
  int children; /* a signalfd: one has ended */
  bool deadline_hit;
  bool over;               /* more output than may pass made it end */
  bool told[STREAM_COUNT]; /* that it has more than may pass */
  bool killed;             /* by us */
  bool hurried;            /* by the deadline, or by a signal to us */
  uint64_t kill_at;        /* 0: it was not asked to end */
  uint64_t give_up_at;     /* 0: init was neither killed nor has it said that it ends */
  bool ended;              /* init told how, or is gone */
  bool abandoned;          /* nobody waits for the rest of the output */
  bool unknown;            /* it is gone and nobody can say how */
  uint64_t drain_until;
};

int run_deadline_arm (struct run *run)
{
  uint64_t ms = run->options->plan->wall_ms;
  const struct itimerspec when = { .it_value = { (time_t) (ms / 1000), (long) (ms % 1000) * 1000000 } };

  if (ms == 0)
    return 0;
  /* A clock that nobody sets, and that goes on while the machine sleeps. */
  if (run->timer < 0)
    run->timer = timerfd_create (CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (run->timer < 0 || timerfd_settime (run->timer, 0, &when, NULL) < 0)
    return error_set_errno (run->err, errno, "set the deadline");
  return 0;
}

uint64_t run_deadline_left (const struct run *run)
{
  struct itimerspec left;

  if (run->timer < 0 || timerfd_gettime (run->timer, &left) < 0)
    return 0;
  /* Rounded up: what is armed is not nothing. */
  return (uint64_t) left.it_value.tv_sec * 1000 + ((uint64_t) left.it_value.tv_nsec + 999999) / 1000000;
}

static void send_to_init (struct run *run, int signal_number)
{
  if (run->init_pidfd >= 0)
    run->driver->signal (run, signal_number);
}

static bool has_unwritten (const struct run *run)
{
  return stream_wants_write (&run->streams[STREAM_OUT]) || stream_wants_write (&run->streams[STREAM_ERR]);
}

/* From now on init has MS milliseconds to be gone. */
static void expect_end (struct loop *loop, uint64_t ms)
{
  uint64_t until = run_now_ms () + ms;

  if (loop->give_up_at == 0 || until < loop->give_up_at)
    loop->give_up_at = until;
}

static void kill_init (struct loop *loop)
{
  loop->killed = true;
  send_to_init (loop->run, SIGKILL);
  expect_end (loop, RUN_END_MS);
}

static void ask_to_end (struct loop *loop, int signal_number)
{
  /* The command is gone and its output waits for a reader; whoever asks now does not want to wait for that.
   */
  if (loop->run->init_pidfd < 0)
    loop->abandoned = true;
  send_to_init (loop->run, signal_number);
  if (loop->kill_at == 0)
    loop->kill_at = run_now_ms () + GRACE_MS;
  else
    kill_init (loop);
}

static void hurry (struct loop *loop, int signal_number)
{
  loop->hurried = true;
  ask_to_end (loop, signal_number);
}

static void on_signals (struct loop *loop)
{
  struct signalfd_siginfo info;

  while (read (loop->run->signals, &info, sizeof (info)) == (ssize_t) sizeof (info)) {
    int number = (int) info.ssi_signo;

    if (number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT)
      hurry (loop, number);
    else if (number == SIGWINCH)
      run_terminal_resize (loop->run);
    else if (number != SIGCHLD)
      send_to_init (loop->run, number);
  }
}

static void on_children (struct loop *loop)
{
  struct signalfd_siginfo info;

  while (read (loop->children, &info, sizeof (info)) == (ssize_t) sizeof (info))
    continue;
  run_reap_others (loop->run, 0);
}

static void take_ended (struct run *run, const struct handshake_ended *ended)
{
  struct run_result *result = &run->result;

  result->signal = ended->signal;
  result->exec_errno = ended->exec_err;
  result->code = ended->signal > 0 ? 128 + ended->signal : ended->code;
  result->reason = ended->signal > 0 ? RUN_SIGNALLED : RUN_EXITED;
}

/* The counters are read while the group still exists: init waits for it. */
static void on_status (struct loop *loop)
{
  struct run *run = loop->run;
  struct handshake_ended ended;

  expect_end (loop, REST_MS);
  if (!run_read_ended (run, &ended)) {
    /* Init closed it without a word: it is dying, and its own status will tell. */
    close_p (&run->status);
    run->status = -1;
    return;
  }
  take_ended (run, &ended);
  loop->ended = true;
  mask_watch_serve (&run->mask_watch, run->options->plan, &run->result.denials);
  if (run->result.code == 0)
    run_let_go_of_inside (run);
  cgroup_count (run_group (run), &run->result.counters);
  run_send_seen (run);
}

static void take_status (struct run *run, int status)
{
  run->result.signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  run->result.code = WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
  run->result.reason = WIFSIGNALED (status) ? RUN_SIGNALLED : RUN_EXITED;
}

static void let_go_of_init (struct loop *loop)
{
  struct run *run = loop->run;

  loop->ended = true;
  close_p (&run->init_pidfd);
  run->init_pidfd = -1;
  loop->drain_until = run_now_ms () + DRAIN_MS;
}

/* Init was killed, or said that it ends, and is still there. The answer does not wait for it. */
static void give_up (struct loop *loop)
{
  struct run *run = loop->run;

  run->stuck = true;
  if (!loop->ended) {
    cgroup_count (run_group (run), &run->result.counters);
    take_status (run, SIGKILL);
  }
  let_go_of_init (loop);
}

/* Init is gone. If it did not say how the command ended, its own end is all there is. */
static void on_init_gone (struct loop *loop)
{
  struct run *run = loop->run;
  int status = 0;
  bool known;

  if (!loop->ended)
    cgroup_count (run_group (run), &run->result.counters);
  known = run->driver->wait (run, loop->ended, loop->hurried || loop->over, &status) == 0;
  if (!loop->ended) {
    loop->unknown = !known;
    if (known)
      take_status (run, status);
  }
  run->init_pid = 0;
  let_go_of_init (loop);
}

static void set_fds (struct loop *loop)
{
  struct run *run = loop->run;

  loop->fds[SLOT_INIT] = (struct pollfd){ run->init_pidfd, POLLIN, 0 };
  loop->fds[SLOT_STATUS] = (struct pollfd){ run->status, POLLIN, 0 };
  loop->fds[SLOT_SIGNALS] = (struct pollfd){ run->signals, POLLIN, 0 };
  loop->fds[SLOT_CHILDREN] = (struct pollfd){ loop->children, POLLIN, 0 };
  loop->fds[SLOT_DEADLINE] =
      (struct pollfd){ run->init_pidfd >= 0 || loop->over ? run->timer : -1, POLLIN, 0 };
  loop->fds[SLOT_LISTENER] = (struct pollfd){ run->listener.fd, POLLIN, 0 };
  loop->fds[SLOT_MASK_WATCH] = (struct pollfd){ run->mask_watch.fd, POLLIN, 0 };
  for (size_t i = 0; i < STREAM_COUNT; i++) {
    const struct stream *stream = &run->streams[i];
    bool writes = stream_wants_write (stream);

    loop->fds[SLOT_STREAMS + 2 * i] =
        (struct pollfd){ stream_wants_read (stream) ? stream->from : -1, POLLIN, 0 };
    /* Without an event to wait for it still tells that the reader is gone. */
    loop->fds[SLOT_STREAMS + 2 * i + 1] =
        (struct pollfd){ writes || stream->watched ? stream->to : -1, writes ? POLLOUT : 0, 0 };
  }
}

/* Milliseconds until something is due; -1: nothing is. */
static int next_timeout (const struct loop *loop)
{
  uint64_t now = run_now_ms (), next = UINT64_MAX;

  if (loop->kill_at != 0 && loop->kill_at < next && loop->run->init_pidfd >= 0)
    next = loop->kill_at;
  if (loop->give_up_at != 0 && loop->give_up_at < next && loop->run->init_pidfd >= 0)
    next = loop->give_up_at;
  if (loop->drain_until != 0 && loop->drain_until < next && (loop->hurried || !has_unwritten (loop->run)))
    next = loop->drain_until;
  if (next == UINT64_MAX)
    return -1;
  return next <= now ? 0 : (next - now > 60000 ? 60000 : (int) (next - now));
}

static void on_time (struct loop *loop)
{
  uint64_t now = run_now_ms ();

  if (loop->kill_at != 0 && now >= loop->kill_at && loop->run->init_pidfd >= 0) {
    /* What is frozen cannot die. */
    cgroup_thaw (loop->run->options->plan->cgroup, loop->run->options->plan->cgroup_path);
    kill_init (loop);
    loop->kill_at = now + GRACE_MS;
  }
  if (loop->give_up_at != 0 && now >= loop->give_up_at && loop->run->init_pidfd >= 0)
    give_up (loop);
}

/* A reader gets the rest as slowly as it likes. But when the run was made to end, by its deadline or by
 * somebody's wish, one that takes nothing must not keep it. */
static bool is_worth_waiting (const struct loop *loop)
{
  return !loop->abandoned && (!loop->hurried || run_now_ms () < loop->drain_until);
}

static bool is_over (const struct loop *loop)
{
  const struct run *run = loop->run;

  if (run->init_pidfd >= 0 || (has_unwritten (run) && is_worth_waiting (loop)))
    return false;
  if (loop->abandoned)
    return true;
  if (loop->drain_until != 0 && run_now_ms () >= loop->drain_until)
    return true;
  return stream_is_done (&run->streams[STREAM_OUT]) && stream_is_done (&run->streams[STREAM_ERR]);
}

static void on_deadline (struct loop *loop)
{
  uint64_t times;

  /* Read, so that it is not reported again. */
  if (read (loop->run->timer, &times, sizeof (times)) != (ssize_t) sizeof (times))
    return;
  /* What came first is the reason. */
  loop->deadline_hit = !loop->ended && !loop->over;
  if (loop->run->init_pidfd >= 0) {
    hurry (loop, SIGTERM);
    return;
  }
  /* It was ended for its output, and a reader that still takes the rest may go on. */
  loop->hurried = true;
  loop->drain_until = run_now_ms () + DRAIN_MS;
}

/* The command goes on and its output does not: that is told when it happens. */
static void tell_cut (const struct run *run, size_t i)
{
  const struct value *values = run->options->plan->settings.values;
  cleanup_free char *cap = value_text (SETTING_OUTPUT, &values[SETTING_OUTPUT]);
  cleanup_free char *rule = origin_text (&values[SETTING_OUTPUT].origin);
  cleanup_free char *action = origin_text (&values[SETTING_OUTPUT_ACTION].origin);
  cleanup_free char *line =
      cap && rule && action
          ? str_format ("cut by limits.output: standard %s has reached its cap of %s (%s), and the rest is "
                        "dropped, as limits.output_action is \"cut\" (%s)",
                        i == STREAM_OUT ? "output" : "error", cap, rule, action)
          : NULL;

  if (line != NULL && run->options->note != NULL)
    run->options->note (line);
}

/* More came than may pass. What fits is delivered in any case. */
static void on_cap (struct loop *loop, size_t i)
{
  const struct run_options *options = loop->run->options;

  loop->told[i] = true;
  if (options->cut_output)
    return;
  if (options->plan->output_cut) {
    tell_cut (loop->run, i);
    return;
  }
  loop->over = true;
  if (loop->kill_at == 0 && loop->run->init_pidfd >= 0)
    ask_to_end (loop, SIGTERM);
}

static void copy (struct loop *loop, size_t i)
{
  const struct pollfd *fds = &loop->fds[SLOT_STREAMS + 2 * i];
  struct stream *stream = &loop->run->streams[i];
  uint64_t seen = stream->seen;
  size_t waiting;

  if (fds[0].revents != 0)
    stream_read (stream);
  waiting = stream->len;
  if (fds[1].revents != 0 && stream_wants_write (stream))
    stream_write (stream);
  else if (fds[1].revents != 0)
    stream_look_at_reader (stream, fds[1].revents);
  if (loop->drain_until != 0 && (stream->seen != seen || stream->len != waiting))
    loop->drain_until = run_now_ms () + DRAIN_MS;
  if (stream_is_over (stream) && !loop->told[i])
    on_cap (loop, i);
}

static void on_events (struct loop *loop)
{
  struct run *run = loop->run;

  for (size_t i = 0; i < STREAM_COUNT; i++)
    copy (loop, i);
  if (run->streams[STREAM_OUT].reader_gone)
    run_terminal_hang_up (run);
  if (loop->fds[SLOT_CHILDREN].revents != 0)
    on_children (loop);
  if (loop->fds[SLOT_LISTENER].revents != 0)
    run_serve (run);
  if (loop->fds[SLOT_MASK_WATCH].revents != 0)
    mask_watch_serve (&run->mask_watch, run->options->plan, &run->result.denials);
  if (loop->fds[SLOT_SIGNALS].revents != 0)
    on_signals (loop);
  /* Before the status: while we were held the watchdog may have kept the deadline. */
  if (loop->fds[SLOT_DEADLINE].revents != 0)
    on_deadline (loop);
  if (loop->fds[SLOT_STATUS].revents != 0)
    on_status (loop);
  if (loop->fds[SLOT_INIT].revents != 0)
    on_init_gone (loop);
}

/* Which of the ways to end it was, once everything is known. */
static void set_reason (struct loop *loop)
{
  struct run_result *result = &loop->run->result;
  bool failed = result->code != 0;

  if (loop->deadline_hit) {
    result->reason = RUN_DEADLINE;
    result->code = 124;
  } else if (loop->over) {
    result->reason = RUN_LIMIT;
    result->code = RUN_CODE_REFUSED;
  } else if (failed && (result->counters.oom_kills > 0 || result->counters.pids_denied > 0))
    result->reason = RUN_LIMIT;
}

int run_guard (struct run *run)
{
  return run->watchdog.argv != NULL
             ? 0
             : watchdog_start (run->init_pidfd, run->init_pid, GRACE_MS, &run->watchdog, run->err);
}

/* Of its own: a sandbox that is held ready is discarded for any signal that the other one tells of. */
static int watch_children (struct error *err)
{
  sigset_t set;
  int fd;

  sigemptyset (&set);
  sigaddset (&set, SIGCHLD);
  fd = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return fd < 0 ? error_set_errno (err, errno, "watch children") : fd;
}

static void take_result (const struct loop *loop)
{
  struct run *run = loop->run;
  struct run_result *result = &run->result;
  const struct stream *out = &run->streams[STREAM_OUT], *err = &run->streams[STREAM_ERR];

  /* A terminal that hangs up says so by an error, and nothing of its output is missing. */
  for (size_t i = 0; i < STREAM_COUNT && run->options->plan->terminal; i++)
    run->streams[i].failed = 0;
  for (size_t i = 0; i < STREAM_COUNT; i++)
    result->stream_errno[i] = run->streams[i].failed;
  result->out_bytes = out->seen;
  result->err_bytes = err->seen;
  result->out_cut = stream_was_cut (out);
  result->err_cut = stream_was_cut (err);
  result->reader_gone = out->reader_gone || err->reader_gone;
}

int run_loop (struct run *run)
{
  cleanup_close int children = watch_children (run->err);
  struct loop loop = { .run = run, .children = children };
  uint64_t started = run_now_ms ();

  if (children < 0 || run_deadline_arm (run) < 0)
    return run->err->code;
  atomic_store (&run->watchdog.argv->deadline, run->timer < 0 ? 0 : started + run_deadline_left (run));
  io_timeout_init (&run->io_timeout);
  for (size_t i = 0; i < STREAM_COUNT; i++) {
    run->streams[i].turn = &run->watchdog.argv->turn;
    run->streams[i].io_timeout = &run->io_timeout;
    stream_watch_reader (&run->streams[i]);
  }
  while (!is_over (&loop)) {
    set_fds (&loop);
    if (poll (loop.fds, SLOT_COUNT, next_timeout (&loop)) < 0 && errno != EINTR)
      return error_set_errno (run->err, errno, "watch run '%s'", run->dir.id);
    on_events (&loop);
    on_time (&loop);
  }
  if (loop.unknown && !loop.deadline_hit && !loop.over)
    return error_set (run->err, -EIO, "%s could not say how the command ended", run->name);
  run->result.wall_ms = run_now_ms () - started;
  take_result (&loop);
  set_reason (&loop);
  run_explain (run, loop.deadline_hit, loop.over, loop.killed);
  return 0;
}
