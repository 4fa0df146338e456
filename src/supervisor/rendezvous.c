/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Talking to init: before the command starts, and when it has ended. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

struct talk *run_talk (struct run *run)
{
  struct talk *talk = &run->talk;

  talk->stdio = run->transport == INIT_OVER_STDIO;
  talk->from = talk->stdio ? run->streams[STREAM_OUT].from : run->handshake;
  talk->to = talk->stdio ? run->streams[STREAM_IN].to : run->handshake;
  talk->pid = run->init_pid;
  return talk;
}

static int await (struct run *run, int fd, uint64_t until)
{
  int r = run_await (run, fd, POLLIN, until, run->err);

  return r == -ETIMEDOUT ? error_set (run->err, r, "init did not answer within %d seconds", HELLO_MS / 1000)
                         : r;
}

int run_receive_hello (struct run *run, struct talk *talk)
{
  uint64_t until = run_now_ms () + HELLO_MS;
  int r;

  while ((r = talk_receive (talk, HANDSHAKE_HELLO, 0, run->err)) == 0)
    if (await (run, talk->from, until) < 0)
      return run->err->code;
  return r < 0 ? r : 0;
}

int run_receive_answers (struct run *run, const struct promises *promises)
{
  uint64_t until = run_now_ms () + HELLO_MS;
  struct talk *talk = run_talk (run);
  int pidfd = run->own_kernel ? -1 : run->init_pidfd, r;

  while ((r = proof_receive (&run->proof, promises, talk, pidfd, run->err)) == 0)
    if (await (run, talk->from, until) < 0)
      return run->err->code;
  return r < 0 ? r : 0;
}

int run_send (struct run *run, enum handshake_type type, const void *bytes, size_t length)
{
  return talk_send (run_talk (run), type, bytes, length, run->err);
}

int run_await_hello (struct run *run)
{
  struct talk *talk = run_talk (run);
  int r = run_receive_hello (run, talk);

  if (r < 0 || talk->stdio)
    return r;
  run->init_pid = talk->pid;
  if (run->init_pidfd < 0)
    run->init_pidfd = take_fd (&talk->pidfd);
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
  const struct handshake_header *header = &ret_ended->header;
  ssize_t n = recv (run->status, ret_ended, sizeof (*ret_ended), MSG_DONTWAIT);

  return n == (ssize_t) sizeof (*ret_ended) && header->magic == HANDSHAKE_MAGIC
         && header->version == HANDSHAKE_VERSION && header->type == HANDSHAKE_ENDED
         && header->length == sizeof (*ret_ended) - sizeof (*header);
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
