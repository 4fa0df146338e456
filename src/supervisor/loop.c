/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the go-ahead to the end: streams, signals, the deadline, and how the command ended.
 *
 * The end comes within a bound. A run that is made to end gets TERM, after its grace period KILL, and what is
 * still there RUN_END_MS later is left to gc: init cannot go while a process that joined its pid namespace
 * from outside is a zombie whose parent does not collect it. Orphans that become our children are
 * collected as they end.
 *
 * What asks for the end during a grace period can only bring the KILL forward. A repeated signal to us kills
 * at once. The end of the process that started us, after its signal, is no repetition.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"

/* When the container is gone its pipes end at once; a process that kept one open elsewhere must not hold us.
 */
#define DRAIN_MS 1000

/* The command has ended by itself, and the kernel ends the rest with init. To give much memory back takes
 * time. */
#define REST_MS 20000

struct course {
  struct run *run;
  struct copying {
    struct course *course;
    struct stream *stream;
    struct event read, write;
    bool told; /* that it has more than may pass */
  } copying[STREAM_COUNT];
  struct event deadline, idle, status, init, clock;
  struct io_timeout io_timeout;
  bool deadline_hit;
  uint64_t wall_at;   /* when the deadline is; 0: none */
  uint64_t active_at; /* when bytes last went in or out */
  bool idle_hit;
  bool over;           /* more output than may pass made it end */
  bool killed;         /* by us */
  bool told;           /* init told how the command ended */
  bool hurried;        /* by the deadline, or by a signal to us */
  bool signalled;      /* by a signal to us that has a sender */
  bool termed;         /* it was sent TERM */
  uint64_t kill_at;    /* 0: it was not asked to end */
  uint64_t give_up_at; /* 0: init was neither killed nor has it said that it ends */
  bool ended;          /* init told how, or is gone */
  bool abandoned;      /* the rest of the output is not waited for */
  bool unknown;        /* it is gone, and how it ended is not known */
  uint64_t drain_until;
};

extern const struct run_part deadline_part;

/* Each a timerfd, or -1 where there is none. */
struct timers {
  int wall, idle;
};

static struct timers *timers_of (const struct run *run)
{
  return run_part_state (run, &deadline_part);
}

static void init_deadline (struct run *run, void *state)
{
  struct timers *timers = state;

  (void) run;
  timers->wall = timers->idle = -1;
}

static void undo_deadline (struct run *run, void *state, struct error *err)
{
  struct timers *timers = state;

  (void) run;
  (void) err;
  drop_fd (&timers->wall);
  drop_fd (&timers->idle);
}

const struct run_part deadline_part = {
  .name = "deadline", .size = sizeof (struct timers), .init = init_deadline, .undo = undo_deadline
};

static int arm (int *timer, uint64_t ms, const char *what, struct error *err)
{
  const struct itimerspec when = { .it_value = { (time_t) (ms / 1000), (long) (ms % 1000) * 1000000 } };

  if (ms == 0)
    return 0;
  /* A clock that cannot be set, and that goes on while the machine sleeps. */
  if (*timer < 0)
    *timer = timerfd_create (CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (*timer < 0 || timerfd_settime (*timer, 0, &when, NULL) < 0)
    return error_set_errno (err, errno, "set %s", what);
  return 0;
}

int run_deadline_arm (struct run *run)
{
  int r = arm (&timers_of (run)->wall, run->options->plan->wall_ms, "the deadline", run->err);

  return r < 0 ? r : arm (&timers_of (run)->idle, run->options->plan->idle_ms, "the idle time", run->err);
}

static uint64_t left_of (int timer)
{
  struct itimerspec left;

  if (timer < 0 || timerfd_gettime (timer, &left) < 0)
    return 0;
  /* Rounded up: what is armed is not nothing. */
  return (uint64_t) left.it_value.tv_sec * 1000 + ((uint64_t) left.it_value.tv_nsec + 999999) / 1000000;
}

uint64_t run_deadline_left (const struct run *run)
{
  return left_of (timers_of (run)->wall);
}

uint64_t run_idle_left (const struct run *run)
{
  return left_of (timers_of (run)->idle);
}

static void send_to_init (struct run *run, int signal_number)
{
  if (run->init->pidfd >= 0)
    run->driver->signal (run, signal_number);
}

static bool has_unwritten (const struct run *run)
{
  return stream_wants_write (&run->streams[STREAM_OUT]) || stream_wants_write (&run->streams[STREAM_ERR]);
}

static uint64_t grace_of (const struct run *run)
{
  return run->options->grace_ms > 0 ? run->options->grace_ms : RUN_GRACE_MS;
}

/* Where there is a deadline, the command is gone RUN_GRACE_MS after it at the latest. */
static uint64_t limit_grace_of (const struct run *run)
{
  uint64_t grace = grace_of (run);

  return run->options->plan->wall_ms > 0 && grace > RUN_GRACE_MS ? RUN_GRACE_MS : grace;
}

/* From now on init has MS milliseconds to be gone. */
static void expect_end (struct course *course, uint64_t ms)
{
  uint64_t until = run_now_ms () + ms;

  if (course->give_up_at == 0 || until < course->give_up_at)
    course->give_up_at = until;
}

static void kill_init (struct course *course)
{
  course->killed = true;
  send_to_init (course->run, SIGKILL);
  expect_end (course, RUN_END_MS);
}

static void ask_to_end (struct course *course, int signal_number, uint64_t grace)
{
  uint64_t kill_at = run_now_ms () + grace;

  /* The command is gone and its output waits for a reader; an end that is asked for now does not wait for
   * that.
   */
  if (course->run->init->pidfd < 0)
    course->abandoned = true;
  /* Many programs take a second TERM as a wish to end without saving anything. */
  if (signal_number != SIGTERM || !course->termed)
    send_to_init (course->run, signal_number);
  course->termed |= signal_number == SIGTERM;
  if (course->kill_at == 0 || kill_at < course->kill_at)
    course->kill_at = kill_at;
}

static void hurry (struct course *course, int signal_number, uint64_t grace)
{
  course->hurried = true;
  ask_to_end (course, signal_number, grace);
}

static void take_end_signal (struct course *course, int number, bool caller_gone)
{
  struct run *run = course->run;
  bool first = !course->deadline_hit && !course->idle_hit && !course->over && !course->ended;

  if (first && run->result.end_signal == 0)
    run->result.end_signal = number;
  hurry (course, number, grace_of (run));
  if (caller_gone)
    return;
  if (course->signalled)
    kill_init (course);
  course->signalled = true;
}

void run_take_signal (struct run *run, int number, bool end, bool caller_gone)
{
  if (end)
    take_end_signal (run->course, number, caller_gone);
  else if (number == SIGWINCH)
    run_terminal_resize (run);
  else
    send_to_init (run, number);
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
static void on_status (struct event *event, short revents)
{
  struct course *course = event->data;
  struct run *run = course->run;
  struct handshake_ended ended;

  (void) revents;
  event_remove (event);
  expect_end (course, REST_MS);
  if (!run_read_ended (run, &ended)) {
    /* Init closed it without a message: it is dying, and its own status counts. */
    drop_fd (&run->init->status);
    return;
  }
  take_ended (run, &ended);
  course->ended = course->told = true;
  run_parts_ended (run);
  if (run->result.code == 0)
    run_let_go_of_inside (run);
  run_send_seen (run);
}

static void take_status (struct run *run, int status)
{
  run->result.signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  run->result.code = WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
  run->result.reason = WIFSIGNALED (status) ? RUN_SIGNALLED : RUN_EXITED;
}

static void let_go_of_init (struct course *course)
{
  struct run *run = course->run;

  course->ended = true;
  event_remove (&course->init);
  drop_fd (&run->init->pidfd);
  course->drain_until = run_now_ms () + DRAIN_MS;
}

/* Init was killed, or reported that it ends, and is still there. The answer does not wait for it. */
static void give_up (struct course *course)
{
  struct run *run = course->run;

  run->init->stuck = true;
  if (!course->ended) {
    run_parts_ended (run);
    take_status (run, SIGKILL);
  }
  let_go_of_init (course);
}

/* Init is gone. If it did not report how the command ended, its own end is all there is. */
static void on_init_gone (struct event *event, short revents)
{
  struct course *course = event->data;
  struct run *run = course->run;
  bool told = course->ended, known;
  int status = 0;

  (void) revents;
  if (!told)
    run_parts_ended (run);
  /* Others are served while it is collected, and must not signal it any more. */
  let_go_of_init (course);
  known = run->driver->wait (run, told, course->hurried || course->over || course->idle_hit, &status) == 0;
  course->unknown = !told && !known;
  if (!told && known)
    take_status (run, status);
  run->init->pid = 0;
  course->drain_until = run_now_ms () + DRAIN_MS;
}

/* When something is due next. */
static void set_clock (struct event *event)
{
  const struct course *course = event->data;
  bool lives = course->run->init->pidfd >= 0;

  event->due = 0;
  if (course->kill_at != 0 && lives)
    event->due = course->kill_at;
  if (course->give_up_at != 0 && lives && (event->due == 0 || course->give_up_at < event->due))
    event->due = course->give_up_at;
  if (course->drain_until != 0 && (course->hurried || !has_unwritten (course->run))
      && (event->due == 0 || course->drain_until < event->due))
    event->due = course->drain_until;
}

static void on_clock (struct event *event, short revents)
{
  struct course *course = event->data;
  uint64_t now = run_now_ms ();

  (void) revents;
  if (course->kill_at != 0 && now >= course->kill_at && course->run->init->pidfd >= 0) {
    /* What is frozen cannot die. */
    cgroup_thaw (course->run->options->plan->cgroup, course->run->launch.cgroup_path);
    kill_init (course);
    course->kill_at = now + RUN_GRACE_MS;
  }
  if (course->give_up_at != 0 && now >= course->give_up_at && course->run->init->pidfd >= 0)
    give_up (course);
}

/* A reader gets the rest as slowly as it likes. But when the run was made to end, by its deadline or by
 * a signal, one that takes nothing must not keep it. */
static bool is_worth_waiting (const struct course *course)
{
  return !course->abandoned && (!course->hurried || run_now_ms () < course->drain_until);
}

static bool is_over (void *data)
{
  const struct course *course = data;
  const struct run *run = course->run;

  if (run->init->pidfd >= 0 || (has_unwritten (run) && is_worth_waiting (course)))
    return false;
  if (course->abandoned)
    return true;
  if (course->drain_until != 0 && run_now_ms () >= course->drain_until)
    return true;
  return stream_is_done (&run->streams[STREAM_OUT]) && stream_is_done (&run->streams[STREAM_ERR]);
}

static void set_deadline (struct event *event)
{
  const struct course *course = event->data;

  event->fd = course->run->init->pidfd >= 0 || course->over ? timers_of (course->run)->wall : -1;
}

/* Before the status: while we were held the watchdog may have kept the deadline. */
static void on_deadline (struct event *event, short revents)
{
  struct course *course = event->data;
  uint64_t times;

  (void) revents;
  /* Read, so that it is not reported again. */
  if (read (timers_of (course->run)->wall, &times, sizeof (times)) != (ssize_t) sizeof (times))
    return;
  /* What came first is the reason. */
  course->deadline_hit = !course->ended && !course->over && !course->idle_hit;
  if (course->deadline_hit)
    run_tell_limit (course->run, CONTROL_LIMITS_WALL, "after_ms", course->run->options->plan->wall_ms);
  if (course->run->init->pidfd >= 0) {
    hurry (course, SIGTERM, limit_grace_of (course->run));
    return;
  }
  /* It was ended for its output, and a reader that still takes the rest may go on. */
  course->hurried = true;
  course->drain_until = run_now_ms () + DRAIN_MS;
}

/* The watchdog keeps whatever comes first, if we are held. */
static void set_watchdog (const struct course *course)
{
  uint64_t idle_ms = course->run->options->plan->idle_ms, at = course->wall_at;

  if (idle_ms > 0 && (at == 0 || course->active_at + idle_ms < at))
    at = course->active_at + idle_ms;
  atomic_store (&run_watchdog_memory (course->run)->deadline, at);
}

/* Bytes that come when the time is over are too late: we may have been held, and the watchdog has acted. */
static void note_activity (struct course *course)
{
  uint64_t now = run_now_ms (), ms = course->run->options->plan->idle_ms;

  if (ms == 0 || now - course->active_at >= ms)
    return;
  course->active_at = now;
  set_watchdog (course);
}

static void set_idle (struct event *event)
{
  const struct course *course = event->data;
  bool waits = course->run->init->pidfd >= 0 && !course->ended && course->kill_at == 0;

  event->fd = waits ? timers_of (course->run)->idle : -1;
}

/* The timer is not set anew for each byte: when it has run out, it is for what is left since the last one. */
static void on_idle (struct event *event, short revents)
{
  struct course *course = event->data;
  struct run *run = course->run;
  uint64_t ms = run->options->plan->idle_ms, quiet = run_now_ms () - course->active_at, times;

  (void) revents;
  if (read (timers_of (run)->idle, &times, sizeof (times)) != (ssize_t) sizeof (times))
    return;
  /* A timer that cannot be set ends the run as if it had run out: the limit is kept. */
  if (quiet < ms && arm (&timers_of (run)->idle, ms - quiet, "the idle time", run->err) == 0)
    return;
  course->idle_hit = true;
  run_tell_limit (run, CONTROL_LIMITS_IDLE, "after_ms", ms);
  hurry (course, SIGTERM, limit_grace_of (run));
}

/* The command goes on and its output does not: that is told when it happens. */
static void tell_cut (const struct run *run, const struct stream *stream)
{
  const struct value *values = run->options->plan->settings.values;
  cleanup_free char *cap = value_text (SETTING_OUTPUT, &values[SETTING_OUTPUT]);
  cleanup_free char *rule = origin_text (&values[SETTING_OUTPUT].origin);
  cleanup_free char *action = origin_text (&values[SETTING_OUTPUT_ACTION].origin);
  cleanup_free char *line =
      cap && rule && action
          ? str_format ("cut by limits.output: standard %s has reached its cap of %s (%s), and the rest is "
                        "dropped, as limits.output_action is \"cut\" (%s)",
                        stream == &run->streams[STREAM_OUT] ? "output" : "error", cap, rule, action)
          : NULL;

  if (line != NULL && run->options->note != NULL)
    run->options->note (run->options->note_data, line);
}

/* More came than may pass. What fits is delivered in any case. */
static void on_cap (struct copying *copying)
{
  struct course *course = copying->course;
  const struct run_options *options = course->run->options;

  copying->told = true;
  run_tell_limit (course->run, CONTROL_LIMITS_OUTPUT,
                  copying->stream == &course->run->streams[STREAM_OUT] ? "stdout_bytes" : "stderr_bytes",
                  copying->stream->seen);
  if (options->cut_output)
    return;
  if (options->plan->output_cut) {
    tell_cut (course->run, copying->stream);
    return;
  }
  course->over = true;
  if (course->kill_at == 0 && course->run->init->pidfd >= 0)
    ask_to_end (course, SIGTERM, limit_grace_of (course->run));
}

/* Bytes went in or out, or its reader has gone. */
static void on_copied (struct copying *copying, bool moved)
{
  struct course *course = copying->course;

  if (course->drain_until != 0 && moved)
    course->drain_until = run_now_ms () + DRAIN_MS;
  if (moved)
    note_activity (course);
  if (stream_is_over (copying->stream) && !copying->told)
    on_cap (copying);
  if (course->run->streams[STREAM_OUT].reader_gone)
    run_terminal_hang_up (course->run);
}

/* A rate is for the command: what it left in its pipe is read at once. */
static void set_read (struct event *event)
{
  const struct copying *copying = event->data;
  struct stream *stream = copying->stream;

  if (stream->rate > 0 && copying->course->run->init->pidfd < 0)
    stream->rate = 0;
  event->due = stream_wants_read (stream) ? stream_refill (stream, run_now_ms ()) : 0;
  event->fd = stream_wants_read (stream) && event->due == 0 ? stream->from : -1;
}

static void on_read (struct event *event, short revents)
{
  struct copying *copying = event->data;
  uint64_t seen = copying->stream->seen;

  /* Only its time has come: the next turn looks at the descriptor. */
  if (revents == 0)
    return;
  /* A terminal that was hung up in this turn has none of its streams left. */
  if (stream_wants_read (copying->stream))
    stream_read (copying->stream);
  on_copied (copying, copying->stream->seen != seen);
}

/* Without an event to wait for it still tells that the reader is gone. */
static void set_write (struct event *event)
{
  const struct stream *stream = ((const struct copying *) event->data)->stream;
  bool writes = stream_wants_write (stream);

  event->fd = writes || stream->watched ? stream->to : -1;
  event->events = writes ? POLLOUT : 0;
}

static void on_write (struct event *event, short revents)
{
  struct copying *copying = event->data;
  size_t waiting = copying->stream->len;

  if (stream_wants_write (copying->stream))
    stream_write (copying->stream);
  else
    stream_look_at_reader (copying->stream, revents);
  on_copied (copying, copying->stream->len != waiting);
}

/* Init that is killed, with all that is inside, tells nothing. If it told of an end by SIGKILL, that KILL
 * came from inside. */
static bool was_killed_by_us (const struct course *course)
{
  return !course->told && (course->killed || atomic_load (&run_watchdog_memory (course->run)->killed));
}

/* Which of the ways to end it was, once everything is known. */
static void set_reason (struct course *course)
{
  struct run_result *result = &course->run->result;
  bool failed = result->code != 0;

  result->killed = was_killed_by_us (course);

  if (course->deadline_hit) {
    result->reason = RUN_DEADLINE;
    result->code = 124;
  } else if (course->over || course->idle_hit) {
    result->idle = course->idle_hit;
    result->reason = RUN_LIMIT;
    result->code = EXIT_NOT_RUN;
  } else if (result->killed)
    result->reason = RUN_KILLED;
  else if (failed && (result->counters.oom_kills > 0 || result->counters.pids_denied > 0))
    result->reason = RUN_LIMIT;
}

static void take_result (const struct course *course)
{
  struct run *run = course->run;
  struct run_result *result = &run->result;
  const struct stream *out = &run->streams[STREAM_OUT], *err = &run->streams[STREAM_ERR];

  /* The hang-up of a terminal is an error of read, and nothing of its output is missing. */
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

static void watch (struct course *course, struct event *event, struct event values)
{
  *event = values;
  event_add (&course->run->loop, event);
}

/* Streams, the deadline, and all that tells of the end. */
static void watch_command (struct course *course)
{
  struct run *run = course->run;

  for (size_t i = 0; i < STREAM_COUNT; i++) {
    struct copying *copying = &course->copying[i];
    struct stream *stream = &run->streams[i];

    stream->turn = &run_watchdog_memory (run)->turn;
    stream->io_timeout = &course->io_timeout;
    stream_watch_reader (stream);
    *copying = (struct copying){ .course = course, .stream = stream };
    watch (course, &copying->read,
           (struct event){
               .rank = EVENT_BYTES, .events = POLLIN, .before = set_read, .call = on_read, .data = copying });
    watch (course, &copying->write,
           (struct event){ .rank = EVENT_BYTES, .before = set_write, .call = on_write, .data = copying });
  }
  watch (course, &course->idle,
         (struct event){ .events = POLLIN, .before = set_idle, .call = on_idle, .data = course });
  watch (course, &course->deadline,
         (struct event){ .events = POLLIN, .before = set_deadline, .call = on_deadline, .data = course });
  watch (
      course, &course->status,
      (struct event){
          .fd = run->init->status, .events = POLLIN, .rank = EVENT_LAST, .call = on_status, .data = course });
  watch (course, &course->init,
         (struct event){ .fd = run->init->pidfd,
                         .events = POLLIN,
                         .rank = EVENT_LAST,
                         .call = on_init_gone,
                         .data = course });
  watch (
      course, &course->clock,
      (struct event){ .fd = -1, .rank = EVENT_LAST, .before = set_clock, .call = on_clock, .data = course });
}

static void leave_command (struct course *course)
{
  struct event *const events[] = { &course->deadline, &course->idle, &course->status, &course->init,
                                   &course->clock };

  for (size_t i = 0; i < STREAM_COUNT; i++) {
    event_remove (&course->copying[i].read);
    event_remove (&course->copying[i].write);
    course->copying[i].stream->turn = NULL;
    course->copying[i].stream->io_timeout = NULL;
  }
  for (size_t i = 0; i < ARRAY_LEN (events); i++)
    event_remove (events[i]);
  io_timeout_clear (&course->io_timeout);
}

int run_loop (struct run *run)
{
  struct course course = { .run = run };
  uint64_t started = run_now_ms ();
  int r = run_deadline_arm (run);

  if (r < 0)
    return r;
  atomic_store (&run_watchdog_memory (run)->grace, grace_of (run));
  atomic_store (&run_watchdog_memory (run)->limit_grace, limit_grace_of (run));
  course.active_at = started;
  course.wall_at = timers_of (run)->wall < 0 ? 0 : started + run_deadline_left (run);
  set_watchdog (&course);
  io_timeout_init (&course.io_timeout);
  run->course = &course;
  watch_command (&course);
  r = event_loop_run (&run->loop, is_over, &course, EVENT_NEVER);
  leave_command (&course);
  run_leave_signals (run);
  run->course = NULL;
  if (r < 0)
    return error_set_errno (run->err, -r, "watch run '%s'", run->dir->id);
  if (course.unknown && !course.deadline_hit && !course.over && !course.idle_hit)
    return error_set (run->err, -EIO, "%s could not say how the command ended", run->name);
  run->result.wall_ms = run_now_ms () - started;
  take_result (&course);
  set_reason (&course);
  run_explain (run, course.deadline_hit, course.over, course.killed || run->result.killed);
  return 0;
}
