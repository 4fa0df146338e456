#include <config.h>

#include "supervisor-internal.h"
#include "supervisor-privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "engine-frames.h"

#define PUMP_BYTES ((size_t) 32 * 1024)

/* A loaded engine may take its time to notice the end of a container whose streams have ended. */
#define END_MS 10000

struct pump {
  struct run *run;
  int engine;   /* the connection; -1: it has ended */
  int fds[3];   /* of the command: 0 is read, 1 and 2 are written */
  bool open_in; /* standard input goes on */
  struct frames frames;
  char bytes[PUMP_BYTES];
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
static void tell_writer (const struct pump *pump)
{
  const struct run *run = pump->run;
  cleanup_engine struct engine *engine = NULL;
  cleanup_error struct error ignored = { 0 };

  if (engine_open (run->options->plan->backend, run->program, &engine, &ignored) == 0)
    engine_kill (engine, run->container, SIGPIPE, &ignored);
}

/* False: this is no stream of an engine's. */
static bool take (struct pump *pump, const char *bytes, size_t len)
{
  struct error ignored = { 0 };

  while (len > 0) {
    struct frame_piece piece;
    size_t used;

    if (frames_take (&pump->frames, bytes, len, &piece, &used, &ignored) < 0) {
      error_clear (&ignored);
      return false;
    }
    /* One that ignores it must not block. */
    if (piece.len > 0 && piece.stream != FRAME_STDIN && pump->fds[piece.stream] >= 0
        && !write_all (pump->fds[piece.stream], piece.bytes, piece.len)) {
      close_p (&pump->fds[piece.stream]);
      pump->fds[piece.stream] = -1;
      tell_writer (pump);
    }
    bytes += used;
    len -= used;
  }
  return true;
}

static void give_input (struct pump *pump)
{
  ssize_t n = read (pump->fds[0], pump->bytes, sizeof (pump->bytes));

  if (n < 0 && errno == EINTR)
    return;
  if (n > 0 && write_all (pump->engine, pump->bytes, (size_t) n))
    return;
  pump->open_in = false;
  shutdown (pump->engine, SHUT_WR);
}

static bool copy (struct pump *pump)
{
  for (;;) {
    struct pollfd fds[2] = { { pump->engine, POLLIN, 0 }, { pump->open_in ? pump->fds[0] : -1, POLLIN, 0 } };
    ssize_t n;

    if (poll (fds, 2, -1) < 0 && errno != EINTR)
      return false;
    if (fds[1].revents != 0)
      give_input (pump);
    if (fds[0].revents == 0)
      continue;
    n = read (pump->engine, pump->bytes, sizeof (pump->bytes));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n == 0 && frames_are_whole (&pump->frames);
    if (!take (pump, pump->bytes, (size_t) n))
      return false;
  }
}

/* An engine ends the streams when the container ends. One that is away by then, or goes on to say that the
 * container runs, has cut them off: nobody knows what is missing, whatever code there will be. */
static bool ended_with_streams (struct run *run, struct container_state *ret_state)
{
  cleanup_container_state struct container_state state = { 0 };
  cleanup_engine struct engine *engine = NULL;
  cleanup_error struct error ignored = { 0 };

  return engine_open (run->options->plan->backend, run->program, &engine, &ignored) == 0
         && engine_look (engine, run->container, &state, &ignored) == 0
         && run_engine_status (run, &engine, run_now_ms () + END_MS, ret_state, &ignored) == 0;
}

/* In the child, to the end. A signal of its own says that nobody knows how the container ended. */
static void __attribute__ ((noreturn)) become_pump (struct run *run, struct attached *attached, pid_t parent)
{
  static struct pump pump;
  cleanup_container_state struct container_state state = { 0 };
  struct error ignored = { 0 };
  bool whole;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  signal (SIGPIPE, SIG_IGN);
  if (getppid () != parent)
    raise (SIGKILL);
  pump.run = run;
  pump.engine = attached->fd;
  pump.open_in = true;
  memcpy (pump.fds, run->child_fds, sizeof (pump.fds));
  /* The far ends of the pipes are the supervisor's; held here, they would never end. */
  for (size_t i = 0; i < STREAM_COUNT; i++)
    stream_clear (&run->streams[i]);
  fcntl (pump.engine, F_SETFL, 0);
  /* Everything that comes now is the command's or the engine's word. */
  if (run->options->last && privileges_drop (!privileges_own_path (run->program), &ignored) < 0)
    raise (SIGKILL);
  whole = take (&pump, attached->early, attached->early_len) && copy (&pump);
  close_p (&pump.fds[1]);
  close_p (&pump.fds[2]);
  if (whole && ended_with_streams (run, &state))
    _exit (state.code & 0xff);
  raise (SIGKILL);
  _exit (RUN_CODE_REFUSED);
}

int run_pump_start (struct run *run, struct attached *attached)
{
  pid_t parent = getpid (), pid = fork ();

  if (pid == 0)
    become_pump (run, attached, parent);
  if (pid < 0)
    return error_set_errno (run->err, errno, "start a process for the streams");
  for (size_t i = 0; i < 3; i++) {
    close_p (&run->child_fds[i]);
    run->child_fds[i] = -1;
  }
  run->init_pid = pid;
  run->init_pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  return run->init_pidfd < 0 ? error_set_errno (run->err, errno, "take hold of the process for the streams")
                             : 0;
}
