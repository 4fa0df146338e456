/* Talking to init: before the command starts, and when it has ended. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"

/* A container that has been started says hello within milliseconds; a loaded host may take its time. */
#define HELLO_MS 30000

/* Since Linux 6.5 the kernel hands a pidfd of the sender over with a message. */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

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
  if (setsockopt (fds[0], SOL_SOCKET, SO_PASSPIDFD, &on, sizeof (on)) < 0)
    errno = 0; /* an older kernel: the pid will do */
  return setsockopt (fds[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof (on)) < 0 ? -errno : 0;
}

static void set_stream (struct stream *stream, int from, int to, bool own_to, uint64_t cap)
{
  stream->from = from;
  stream->to = to;
  stream->own_to = own_to;
  stream->cap = cap;
}

/* Where no engine and no terminal stands between, the descriptors that init finds are these. */
static void note_pipes (struct run *run)
{
  struct stat st;

  for (size_t i = 0; i < ARRAY_LEN (run->pipe_inodes); i++)
    if (run->transport == INIT_OVER_FDS && !run->options->plan->terminal
        && fstat (run->child_fds[i], &st) == 0)
      run->pipe_inodes[i] = st.st_ino;
}

int run_open_channels (struct run *run)
{
  const struct run_options *options = run->options;
  uint64_t cap = options->plan->output_bytes;
  int in = options->in >= 0 ? fcntl (options->in, F_DUPFD_CLOEXEC, 3) : -1;
  int in_write = -1, out_read = -1, err_read = -1;
  /* A caller's input that is lost would leave the command waiting for it. */
  int r = in < 0 && options->in >= 0 ? -errno : make_pipe (&run->child_fds[0], &in_write);

  if (r == 0)
    r = make_pipe (&out_read, &run->child_fds[1]);
  if (r == 0)
    r = make_pipe (&err_read, &run->child_fds[2]);
  if (r == 0 && run->transport == INIT_OVER_FDS) {
    r = make_sockets (&run->handshake, &run->child_fds[HANDSHAKE_FD]);
    if (r == 0)
      r = make_sockets (&run->status, &run->child_fds[STATUS_FD]);
  }
  if (r == 0)
    note_pipes (run);
  /* The far ends of pipes may be the caller's descriptors, which are not ours to make non-blocking. */
  set_stream (&run->streams[STREAM_IN], in, in_write, true, UINT64_MAX);
  set_stream (&run->streams[STREAM_OUT], out_read, options->out, false, cap);
  set_stream (&run->streams[STREAM_ERR], err_read, options->err, false, cap);
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

/* Where init is heard: its socket, or the command's standard output as long as that is not the command's. */
static int ear (const struct run *run)
{
  return run->transport != INIT_OVER_STDIO ? run->handshake : run->streams[STREAM_OUT].from;
}

static int await (struct run *run, uint64_t until)
{
  int r = run_await (run, ear (run), POLLIN, until, run->err);

  return r == -ETIMEDOUT ? error_set (run->err, r, "init did not answer within %d seconds", HELLO_MS / 1000)
                         : r;
}

/* The kernel says who sent it: that process, and no other, is the run's init. *PIDFD becomes its pidfd, if it
 * is none yet. */
static pid_t sender_of (struct msghdr *message, int *pidfd)
{
  struct ucred creds = { 0 };

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c)) {
    int fd = -1;

    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
      memcpy (&creds, CMSG_DATA (c), sizeof (creds));
    else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_PIDFD)
      memcpy (&fd, CMSG_DATA (c), sizeof (fd));
    if (*pidfd < 0)
      *pidfd = fd;
    else
      close_p (&fd);
  }
  return creds.pid;
}

/* One packet of at most SIZE bytes; a longer one is none of ours. */
static ssize_t receive_packet (struct run *run, void *bytes, size_t size)
{
  struct iovec part = { bytes, size };
  union {
    char bytes[CMSG_SPACE (sizeof (struct ucred)) + CMSG_SPACE (sizeof (int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  ssize_t n = recvmsg (run->handshake, &message, MSG_CMSG_CLOEXEC);
  pid_t sender = n > 0 ? sender_of (&message, &run->init_pidfd) : 0;

  if (n > 0 && (message.msg_flags & MSG_TRUNC) != 0)
    return error_set (run->err, -EPROTO, "init said more than was announced");
  if (n > 0 && run->init_pid == 0)
    run->init_pid = sender;
  else if (n > 0 && run->init_pid != sender)
    return error_set (run->err, -EPROTO, "process %d speaks for init", (int) sender);
  return n;
}

int run_receive (struct run *run, void *bytes, size_t size)
{
  uint64_t until = run_now_ms () + HELLO_MS;
  char *at = bytes;

  while (size > 0) {
    int r = await (run, until);
    ssize_t n;

    if (r < 0)
      return r;
    /* Not a byte more than SIZE: what follows on standard output is the command's. */
    n = run->transport != INIT_OVER_STDIO ? receive_packet (run, at, size) : read (ear (run), at, size);
    if (error_is_set (run->err))
      return run->err->code;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (n < 0)
      return error_set_errno (run->err, errno, "hear from init");
    if (n == 0)
      return error_set (run->err, -EPIPE, "init ended before the command was started");
    at += n;
    size -= (size_t) n;
  }
  return 0;
}

int run_send (struct run *run, enum handshake_type type, const void *bytes, size_t length)
{
  struct handshake_header header = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, (uint16_t) type, (uint32_t) length };
  struct iovec parts[2] = { { &header, sizeof (header) }, { NULL, length } };
  int fd = run->transport != INIT_OVER_STDIO ? run->handshake : run->streams[STREAM_IN].to;

  /* The same structure serves for reading, so its pointer is not const. */
  memcpy (&parts[1].iov_base, &bytes, sizeof (bytes));
  /* Both hold a whole batch of questions, and init reads one before the next is written: it fits whole, or
   * the other side is gone. */
  if (writev (fd, parts, length > 0 ? 2 : 1) != (ssize_t) (sizeof (header) + length))
    return error_set_errno (run->err, errno, "speak to init");
  return 0;
}

int run_await_hello (struct run *run)
{
  struct handshake_header header;
  int r = run_receive (run, &header, sizeof (header));

  if (r < 0)
    return r;
  if (!header_is (&header, HANDSHAKE_HELLO, 0))
    return error_set (run->err, -EPROTO, "init said something that is not hello");
  if (run->transport == INIT_OVER_STDIO)
    return 0;
  if (run->init_pidfd < 0 && run->init_pid > 0)
    run->init_pidfd = pidfd_open (run->init_pid, 0);
  return run->init_pidfd < 0 ? error_set_errno (run->err, errno, "take hold of init") : 0;
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
    return error_set (run->err, -EPROTO, "%s wrote a pid that is none: '%s'", run->name, text);
  run->init_pid = (pid_t) pid;
  run->init_pidfd = pidfd_open (run->init_pid, 0);
  return run->init_pidfd < 0 ? error_set_errno (run->err, errno, "take hold of %s", run->name) : 0;
}

int run_go (struct run *run)
{
  int r;

  run->listener.recording = true;
  r = run_send (run, HANDSHAKE_GO, NULL, 0);

  close_p (&run->handshake);
  run->handshake = -1;
  return r < 0 ? error_prefix (run->err, "give the go-ahead") : 0;
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
