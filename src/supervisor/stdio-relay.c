/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-internal.h"
#include "supervisor-privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "engine-frames.h"

#define RELAY_BYTES ((size_t) 32 * 1024)

/* A loaded engine may take its time to notice the end of a container whose streams have ended. */
#define END_MS 10000

struct relay {
  struct run *run;
  int engine; /* the connection */
  int fds[3]; /* of the command: 0 is read, 1 and 2 are written */
  bool ended; /* the engine's side */
  bool whole; /* nothing is missing so far */
  struct frames frames;
  char bytes[RELAY_BYTES];
};

static bool write_all (int fd, const char *bytes, size_t len)
{
  while (len > 0) {
    ssize_t n = write (fd, bytes, len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes += n;
    len -= (size_t) n;
  }
  return true;
}

/* An engine reads on whether the reader is there or not, so the command cannot notice by itself; init passes
 * the signal on. */
static void tell_writer (const struct relay *relay)
{
  const struct run *run = relay->run;
  cleanup_engine struct engine *engine = NULL;
  cleanup_error struct error ignored = { 0 };

  if (engine_open (run->options->plan->backend, run->program, &engine, &ignored) == 0)
    engine_kill (engine, run->engine->container, SIGPIPE, &ignored);
}

/* False: this is no stream of an engine's. */
static bool take (struct relay *relay, const char *bytes, size_t len)
{
  struct error ignored = { 0 };

  while (len > 0) {
    struct frame_piece piece;
    size_t used;

    if (frames_take (&relay->frames, bytes, len, &piece, &used, &ignored) < 0) {
      error_clear (&ignored);
      return false;
    }
    /* One that ignores it must not block. */
    if (piece.len > 0 && piece.stream != FRAME_STDIN && relay->fds[piece.stream] >= 0
        && !write_all (relay->fds[piece.stream], piece.bytes, piece.len)) {
      drop_fd (&relay->fds[piece.stream]);
      tell_writer (relay);
    }
    bytes += used;
    len -= used;
  }
  return true;
}

static void on_input (struct event *event, short revents)
{
  struct relay *relay = event->data;
  ssize_t n = read (relay->fds[0], relay->bytes, sizeof (relay->bytes));

  (void) revents;
  if (n < 0 && errno == EINTR)
    return;
  if (n > 0 && write_all (relay->engine, relay->bytes, (size_t) n))
    return;
  event_remove (event);
  shutdown (relay->engine, SHUT_WR);
}

static void on_output (struct event *event, short revents)
{
  struct relay *relay = event->data;
  ssize_t n = read (relay->engine, relay->bytes, sizeof (relay->bytes));

  (void) revents;
  if (n < 0 && errno == EINTR)
    return;
  relay->ended = n <= 0;
  relay->whole = n > 0 ? take (relay, relay->bytes, (size_t) n) : n == 0 && frames_are_whole (&relay->frames);
}

static bool is_over (void *data)
{
  const struct relay *relay = data;

  return relay->ended || !relay->whole;
}

/* Whether all of it has come. */
static bool copy (struct relay *relay)
{
  struct event_loop loop = { 0 };
  struct event input = { .fd = relay->fds[0], .events = POLLIN, .call = on_input, .data = relay };
  struct event output = { .fd = relay->engine, .events = POLLIN, .call = on_output, .data = relay };

  event_add (&loop, &input);
  event_add (&loop, &output);
  return event_loop_run (&loop, is_over, relay, EVENT_NEVER) == 0 && relay->whole;
}

/* An engine ends the streams when the container ends. One that is away by then, or still reports that the
 * container runs, has cut them off: something may be missing, whatever code there will be. */
static bool ended_with_streams (struct run *run, struct container_state *ret_state)
{
  cleanup_container_state struct container_state state = { 0 };
  cleanup_engine struct engine *engine = NULL;
  cleanup_error struct error ignored = { 0 };

  return engine_open (run->options->plan->backend, run->program, &engine, &ignored) == 0
         && engine_look (engine, run->engine->container, &state, &ignored) == 0
         && run_engine_status (run, &engine, run_now_ms () + END_MS, ret_state, &ignored) == 0;
}

struct relay_task {
  struct run *run;
  const struct attached *attached;
};

/* In the helper. A signal of its own means that the end of the container is not known. */
static int relay_main (void *data)
{
  const struct relay_task *task = data;
  struct run *run = task->run;
  static struct relay relay;
  cleanup_container_state struct container_state state = { 0 };
  struct error ignored = { 0 };
  bool whole;

  signal (SIGPIPE, SIG_IGN);
  relay = (struct relay){
    .run = run, .engine = HELPER_FD, .fds = { HELPER_FD + 1, HELPER_FD + 2, HELPER_FD + 3 }, .whole = true
  };
  fcntl (relay.engine, F_SETFL, 0);
  /* Everything that comes now was written by the command or the engine. */
  if (run->options->last && privileges_drop (!privileges_own_path (run->program), &ignored) < 0)
    raise (SIGKILL);
  whole = take (&relay, task->attached->early, task->attached->early_len) && copy (&relay);
  close_p (&relay.fds[1]);
  close_p (&relay.fds[2]);
  if (whole && ended_with_streams (run, &state))
    return state.code & 0xff;
  raise (SIGKILL);
  return EXIT_NOT_RUN;
}

/* It gets no other descriptor: held there, the far ends of the pipes would never end. */
int run_stdio_relay_start (struct run *run, struct attached *attached)
{
  const int *theirs = run->init->child_fds;
  const int fds[] = { attached->fd, theirs[0], theirs[1], theirs[2] };
  struct relay_task task = { run, attached };
  struct helper helper = HELPER_NONE;
  int r = helper_fork (
      &(const struct helper_call){
          .fds = fds, .fd_count = ARRAY_LEN (fds), .main = relay_main, .data = &task },
      &helper, run->err);

  if (r < 0)
    return error_prefix (run->err, "start a process for the streams");
  run_close_child_fds (run);
  run->init->pid = helper.pid;
  run->init->pidfd = (int) syscall (SYS_pidfd_open, helper.pid, 0);
  return run->init->pidfd < 0 ? error_set_errno (run->err, errno, "take hold of the process for the streams")
                              : 0;
}
