/* Talking to init: before the command starts, and when it has ended. */
#include <config.h>

#include "run-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"

/* A container that has been started says hello within milliseconds; a loaded host may take its time. */
#define HELLO_MS 30000

static int make_pipe (int *ret_read, int *ret_write)
{
  int fds[2];

  if (pipe2 (fds, O_CLOEXEC) < 0)
    return -errno;
  *ret_read = fds[0];
  *ret_write = fds[1];
  return 0;
}

static int make_sockets (int *ret_ours, int *ret_theirs)
{
  int fds[2], on = 1;

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
    return -errno;
  *ret_ours = fds[0];
  *ret_theirs = fds[1];
  return setsockopt (fds[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0 ? -errno : 0;
}

static void set_stream (struct stream *stream, int from, int to, bool own_to, uint64_t cap)
{
  stream->from = from;
  stream->to = to;
  stream->own_to = own_to;
  stream->cap = cap;
}

int run_open_channels (struct run *run)
{
  const struct run_options *options = run->options;
  uint64_t cap = options->plan->output_bytes;
  int in_write = -1, out_read = -1, err_read = -1;
  int r = make_pipe (&run->child_fds[0], &in_write);

  if (r == 0)
    r = make_pipe (&out_read, &run->child_fds[1]);
  if (r == 0)
    r = make_pipe (&err_read, &run->child_fds[2]);
  if (r == 0 && run->ops->carrier == INIT_OVER_FDS) {
    r = make_sockets (&run->handshake, &run->child_fds[HANDSHAKE_FD]);
    if (r == 0)
      r = make_sockets (&run->status, &run->child_fds[STATUS_FD]);
  }
  /* The far ends of pipes may be the caller's descriptors, which are not ours to make non-blocking. */
  set_stream (&run->streams[STREAM_IN], options->in >= 0 ? fcntl (options->in, F_DUPFD_CLOEXEC, 3) : -1,
              in_write, true, UINT64_MAX);
  set_stream (&run->streams[STREAM_OUT], out_read, options->out, false, cap);
  set_stream (&run->streams[STREAM_ERR], err_read, options->err, false, cap);
  run->streams[STREAM_OUT].keep = run->ops->carrier == INIT_OVER_STDIO;
  if (r == 0
      && (fcntl (in_write, F_SETFL, O_NONBLOCK) < 0 || fcntl (out_read, F_SETFL, O_NONBLOCK) < 0
          || fcntl (err_read, F_SETFL, O_NONBLOCK) < 0))
    r = -errno;
  return r < 0 ? error_set_errno (run->err, -r, "make the channels of run '%s'", run->dir.id) : 0;
}

static bool header_is (const struct handshake_header *header, enum handshake_type type, uint32_t length)
{
  return header->magic == HANDSHAKE_MAGIC && header->version == HANDSHAKE_VERSION && header->type == type
         && header->length == length;
}

/* The kernel says who sent it: that process, and no other, is the run's init. */
static pid_t sender_of (struct msghdr *message)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
      struct ucred creds;

      memcpy (&creds, CMSG_DATA (c), sizeof (creds));
      return creds.pid;
    }
  return 0;
}

static int hello_over_socket (struct run *run)
{
  struct handshake_header header;
  struct iovec part = { &header, sizeof (header) };
  union {
    char bytes[CMSG_SPACE (sizeof (struct ucred))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  ssize_t n = recvmsg (run->handshake, &message, MSG_CMSG_CLOEXEC);

  if (n < 0)
    return error_set_errno (run->err, errno, "hear from init");
  if (n == 0)
    return error_set (run->err, -EPIPE, "init ended before it said hello");
  if (n != (ssize_t) sizeof (header) || !header_is (&header, HANDSHAKE_HELLO, 0))
    return error_set (run->err, -EPROTO, "init said something that is not hello");
  run->init_pid = sender_of (&message);
  run->init_pidfd = run->init_pid > 0 ? pidfd_open (run->init_pid, 0) : -1;
  return run->init_pidfd < 0 ? error_set_errno (run->err, errno, "take hold of init") : 0;
}

static int hello_over_output (struct run *run, bool *ret_done)
{
  struct stream *out = &run->streams[STREAM_OUT];
  struct handshake_header header;

  stream_read (out);
  if (stream_take (out, &header, sizeof (header))) {
    *ret_done = true;
    return header_is (&header, HANDSHAKE_HELLO, 0)
               ? 0
               : error_set (run->err, -EPROTO, "init said something that is not hello");
  }
  return out->from < 0 ? error_set (run->err, -EPIPE, "init ended before it said hello") : 0;
}

int run_await_hello (struct run *run)
{
  uint64_t until = run_now_ms () + HELLO_MS;
  bool over_fds = run->ops->carrier == INIT_OVER_FDS, done = false;
  int r = 0;

  while (r == 0 && !done) {
    uint64_t now = run_now_ms ();
    struct pollfd fds[2] = { { over_fds ? run->handshake : run->streams[STREAM_OUT].from, POLLIN, 0 },
                             { run->signals, POLLIN, 0 } };
    int n = poll (fds, 2, now < until ? (int) (until - now) : 0);

    if (n < 0 && errno != EINTR)
      r = error_set_errno (run->err, errno, "wait for init");
    else if (n == 0)
      r = error_set (run->err, -ETIMEDOUT, "init did not say hello within %d seconds", HELLO_MS / 1000);
    else if (n > 0 && fds[1].revents != 0 && run_was_interrupted (run))
      r = error_set (run->err, -EINTR, "interrupted before the command was started");
    else if (n > 0 && fds[0].revents == 0)
      continue;
    else if (n > 0 && over_fds) {
      r = hello_over_socket (run);
      done = true;
    } else if (n > 0)
      r = hello_over_output (run, &done);
  }
  return r;
}

/* The runtime's own process became ours when its create ended; the pid cannot be anybody else's before we
 * have waited for it. */
int run_take_sandbox (struct run *run)
{
  cleanup_free char *text = NULL;
  uint64_t pid;
  int r = file_read (run->dir.fd, "pid", 64, &text, NULL, run->err);

  if (r < 0)
    return r;
  text[strcspn (text, "\n")] = '\0';
  if (!number_parse (text, INT32_MAX, &pid) || pid <= 1)
    return error_set (run->err, -EPROTO, "%s wrote a pid that is none: '%s'", run->ops->name, text);
  run->init_pid = (pid_t) pid;
  run->init_pidfd = pidfd_open (run->init_pid, 0);
  return run->init_pidfd < 0 ? error_set_errno (run->err, errno, "take hold of %s", run->ops->name) : 0;
}

int run_go (struct run *run)
{
  const struct handshake_header go = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, HANDSHAKE_GO, 0 };
  int fd = run->ops->carrier == INIT_OVER_FDS ? run->handshake : run->streams[STREAM_IN].to;

  /* Both are empty at this point, so a header fits whole or the other side is gone. */
  if (write (fd, &go, sizeof (go)) != (ssize_t) sizeof (go))
    return error_set_errno (run->err, errno, "give init the go-ahead");
  close_p (&run->handshake);
  run->handshake = -1;
  run->streams[STREAM_OUT].keep = false;
  if (run->streams[STREAM_OUT].to < 0)
    run->streams[STREAM_OUT].start = run->streams[STREAM_OUT].len = 0;
  return 0;
}

bool run_read_ended (struct run *run, struct handshake_ended *ret_ended)
{
  ssize_t n = recv (run->status, ret_ended, sizeof (*ret_ended), MSG_DONTWAIT);

  return n == (ssize_t) sizeof (*ret_ended)
         && header_is (&ret_ended->header, HANDSHAKE_ENDED, sizeof (*ret_ended) - sizeof (ret_ended->header));
}

void run_send_seen (struct run *run)
{
  const struct handshake_header seen = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, HANDSHAKE_SEEN, 0 };

  /* If init is gone already there is nobody to tell. */
  if (send (run->status, &seen, sizeof (seen), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    errno = 0;
  close_p (&run->status);
  run->status = -1;
}
