/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "supervisor-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "supervisor-internal.h"

/* Before and after each call that the command could hold. */
static void turn_over (const struct stream *stream)
{
  if (stream->turn != NULL)
    atomic_fetch_add (stream->turn, 1);
}

static void close_from (struct stream *stream)
{
  turn_over (stream);
  close_p (&stream->from);
  turn_over (stream);
  stream->from = -1;
}

static void close_to (struct stream *stream)
{
  turn_over (stream);
  if (stream->own_to)
    close_p (&stream->to);
  turn_over (stream);
  stream->to = -1;
}

/* The command's end never blocks; the caller's is as the caller has it. */
static void begin (const struct stream *stream, bool callers)
{
  turn_over (stream);
  if (callers && stream->io_timeout != NULL)
    io_timeout_on (stream->io_timeout);
}

static void end (const struct stream *stream, bool callers)
{
  if (callers && stream->io_timeout != NULL)
    io_timeout_off (stream->io_timeout);
  turn_over (stream);
}

static ssize_t read_from (const struct stream *stream, char *bytes, size_t size)
{
  ssize_t n;

  begin (stream, stream->own_to);
  n = read (stream->from, bytes, size);
  end (stream, stream->own_to);
  return n;
}

static ssize_t write_to (const struct stream *stream, const char *bytes, size_t size)
{
  ssize_t n;

  begin (stream, !stream->own_to);
  n = write (stream->to, bytes, size);
  end (stream, !stream->own_to);
  return n;
}

/* Nothing more is written: what is left goes nowhere. */
static void stop_writing (struct stream *stream)
{
  close_to (stream);
  stream->start = stream->len = 0;
}

/* The writer gets SIGPIPE or EPIPE at its next write. */
static void lose_reader (struct stream *stream)
{
  stream->reader_gone = true;
  stop_writing (stream);
  close_from (stream);
}

bool stream_wants_read (const struct stream *stream)
{
  return stream->from >= 0 && stream->len < STREAM_BUFFER;
}

bool stream_wants_write (const struct stream *stream)
{
  return stream->to >= 0 && stream->len > 0;
}

int stream_keep_tail (struct stream *stream)
{
  stream->tail = malloc (LIMIT_TAIL_BYTES + 1);
  return stream->tail ? 0 : -ENOMEM;
}

static void add_to_tail (struct stream *stream, const char *bytes, size_t len)
{
  size_t keep;

  if (len > LIMIT_TAIL_BYTES) {
    bytes += len - LIMIT_TAIL_BYTES;
    len = LIMIT_TAIL_BYTES;
  }
  keep = stream->tail_len < LIMIT_TAIL_BYTES - len ? stream->tail_len : LIMIT_TAIL_BYTES - len;
  memmove (stream->tail, stream->tail + stream->tail_len - keep, keep);
  memcpy (stream->tail + keep, bytes, len);
  stream->tail_len = keep + len;
}

/* Short enough that a slow stream flows, and long enough that it costs little. */
#define REFILL_MS 50

void stream_set_rate (struct stream *stream, uint64_t rate)
{
  stream->rate = stream->allowance = rate;
  stream->refilled = run_now_ms ();
}

uint64_t stream_refill (struct stream *stream, uint64_t now)
{
  uint64_t passed = now > stream->refilled ? now - stream->refilled : 0, more = 0;

  if (stream->rate == 0)
    return 0;
  if (passed >= 1000 || __builtin_mul_overflow (stream->rate, passed, &more))
    more = stream->rate;
  else
    more /= 1000;
  if (passed >= REFILL_MS) {
    stream->refilled = now;
    stream->allowance = more > stream->rate - stream->allowance ? stream->rate : stream->allowance + more;
  }
  return stream->allowance > 0 ? 0 : stream->refilled + REFILL_MS;
}

static void spend (struct stream *stream, uint64_t bytes)
{
  if (stream->rate == 0)
    return;
  stream->allowance -= bytes;
  stream->pauses += stream->allowance == 0;
}

void stream_read (struct stream *stream)
{
  uint64_t room;
  size_t most;
  size_t at;
  ssize_t n;

  /* All of the buffer counts, wherever the reader has got to. */
  if (stream->start + stream->len == STREAM_BUFFER) {
    memmove (stream->buffer, stream->buffer + stream->start, stream->len);
    stream->start = 0;
  }
  at = stream->start + stream->len;
  most = STREAM_BUFFER - at;
  if (stream->rate > 0 && most > stream->allowance)
    most = (size_t) stream->allowance;
  if (most == 0)
    return;
  n = read_from (stream, stream->buffer + at, most);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0) {
    if (n < 0 && stream->failed == 0)
      stream->failed = errno;
    close_from (stream);
    if (stream->len == 0)
      stop_writing (stream);
    return;
  }
  stream->seen += (uint64_t) n;
  spend (stream, (uint64_t) n);
  if (stream->tail != NULL)
    add_to_tail (stream, stream->buffer + at, (size_t) n);
  room = stream->cap > stream->passed ? stream->cap - stream->passed : 0;
  if ((uint64_t) n > room)
    n = (ssize_t) room;
  stream->passed += (uint64_t) n;
  stream->len += (size_t) n;
  if (stream->to < 0)
    stream->start = stream->len = 0;
}

void stream_write (struct stream *stream)
{
  /* A pipe that polls as writable takes this much without blocking; more might not fit. */
  size_t most = stream->own_to ? stream->len : (stream->len < PIPE_BUF ? stream->len : PIPE_BUF);
  ssize_t n = write_to (stream, stream->buffer + stream->start, most);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
    lose_reader (stream);
    return;
  }
  if (n < 0) {
    if (stream->failed == 0)
      stream->failed = errno;
    stop_writing (stream);
    return;
  }
  stream->start += (size_t) n;
  stream->len -= (size_t) n;
  if (stream->len == 0) {
    stream->start = 0;
    if (stream->from < 0)
      stop_writing (stream);
  }
}

void stream_watch_reader (struct stream *stream)
{
  struct statfs fs;
  struct stat st;

  if (stream->own_to || stream->to < 0 || fstat (stream->to, &st) < 0)
    stream->watched = stream->own_to;
  else if (S_ISFIFO (st.st_mode))
    stream->watched = fstatfs (stream->to, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
  else
    stream->watched = S_ISSOCK (st.st_mode) || isatty (stream->to);
}

void stream_look_at_reader (struct stream *stream, short revents)
{
  if (stream->to >= 0 && (revents & (POLLERR | POLLHUP)) != 0)
    lose_reader (stream);
}

bool stream_is_over (const struct stream *stream)
{
  return stream->seen > stream->cap;
}

bool stream_is_done (const struct stream *stream)
{
  return stream->from < 0 && !stream_wants_write (stream);
}

bool stream_was_cut (const struct stream *stream)
{
  return stream->failed != 0 || stream->seen > stream->passed - stream->len;
}

void stream_clear (struct stream *stream)
{
  free (stream->tail);
  stream->tail = NULL;
  stream->tail_len = 0;
  close_from (stream);
  close_to (stream);
}

static int make_pipe (int *ret_read, int *ret_write)
{
  int fds[2];

  if (pipe2 (fds, O_CLOEXEC) < 0)
    return -errno;
  *ret_read = fds[0];
  *ret_write = fds[1];
  return 0;
}

static void init_streams (struct run *run, void *state)
{
  run->streams = state;
  /* Field by field: the buffers are large, and most runs touch little of them. */
  for (size_t i = 0; i < STREAM_COUNT; i++)
    run->streams[i].from = run->streams[i].to = -1;
}

int run_take_streams (struct run *run)
{
  const struct run_options *options = run->options;
  struct stream *in = &run->streams[STREAM_IN];

  in->from = options->in >= 0 ? fcntl (options->in, F_DUPFD_CLOEXEC, 3) : -1;
  in->own_to = true;
  in->cap = UINT64_MAX;
  /* These may be the caller's descriptors, which are not ours to make non-blocking. */
  run->streams[STREAM_OUT].to = options->out;
  run->streams[STREAM_ERR].to = options->err;
  run->streams[STREAM_OUT].cap = run->streams[STREAM_ERR].cap = options->plan->output_bytes;
  stream_set_rate (&run->streams[STREAM_OUT], options->plan->output_rate);
  stream_set_rate (&run->streams[STREAM_ERR], options->plan->output_rate);
  /* A caller's input that is lost would leave the command waiting for it. */
  return in->from < 0 && options->in >= 0 ? error_set_errno (run->err, errno, "take standard input") : 0;
}

/* The largest StepResult of a ToolRunner; and what a process without privileges may have by default. */
#define WIDE_BYTES     (4 * 1024 * 1024)
#define WIDE_BYTES_FEW (1024 * 1024)

/* The usual size remains if the kernel refuses both. */
void run_widen_output (const struct run *run)
{
  int fd = run->streams[STREAM_OUT].from;

  if (!run->options->wide_output || fd < 0 || fcntl (fd, F_GETPIPE_SZ) >= WIDE_BYTES)
    return;
  if (fcntl (fd, F_SETPIPE_SZ, WIDE_BYTES) < 0)
    (void) fcntl (fd, F_SETPIPE_SZ, WIDE_BYTES_FEW);
}

static int prepare_streams (struct run *run, void *state, struct error *err)
{
  struct stream *streams = state;
  int *theirs = run->init->child_fds;
  int r = run_take_streams (run);

  if (r < 0)
    return r;
  r = make_pipe (&theirs[0], &streams[STREAM_IN].to);
  if (r == 0)
    r = make_pipe (&streams[STREAM_OUT].from, &theirs[1]);
  if (r == 0)
    r = make_pipe (&streams[STREAM_ERR].from, &theirs[2]);
  if (r == 0
      && (fcntl (streams[STREAM_IN].to, F_SETFL, O_NONBLOCK) < 0
          || fcntl (streams[STREAM_OUT].from, F_SETFL, O_NONBLOCK) < 0
          || fcntl (streams[STREAM_ERR].from, F_SETFL, O_NONBLOCK) < 0))
    r = -errno;
  run_widen_output (run);
  return r < 0 ? error_set_errno (err, -r, "make the pipes of the run") : 0;
}

static void undo_streams (struct run *run, void *state, struct error *err)
{
  struct stream *streams = state;

  (void) err;
  /* The container's ends, where no part was reached that hands them over. */
  run_close_child_fds (run);
  for (size_t i = 0; i < STREAM_COUNT; i++)
    stream_clear (&streams[i]);
}

const struct run_part streams_part = { .name = "streams",
                                       .size = STREAM_COUNT * sizeof (struct stream),
                                       .init = init_streams,
                                       .prepare = prepare_streams,
                                       .undo = undo_streams };
