/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rendezvous with init: the sockets that it inherits, or to which it connects in an engine's
 * container, and the messages before the command starts and after it has ended. */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-number.h"

/* The hello of a container that was started takes milliseconds; on a loaded host more. */
#define HELLO_MS 30000

/* Since Linux 6.5 the kernel hands a pidfd of the sender over with a message. */
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif

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

/* Where no engine and no terminal stands between, the descriptors that init finds are these. */
static void note_pipes (struct run *run)
{
  struct stat st;

  for (size_t i = 0; i < ARRAY_LEN (run->init->pipe_inodes); i++)
    if (run->transport == INIT_OVER_FDS && !run->options->plan->terminal
        && fstat (run->init->child_fds[i], &st) == 0)
      run->init->pipe_inodes[i] = st.st_ino;
}

static void init (struct run *run, void *state)
{
  struct run_init *init = state;

  run->init = init;
  init->pidfd = init->handshake = init->status = -1;
  for (size_t i = 0; i < ARRAY_LEN (init->child_fds); i++)
    init->child_fds[i] = -1;
  init->talk = TALK_NONE;
  init->proof = PROOF_NONE;
}

static int prepare (struct run *run, void *state, struct error *err)
{
  struct run_init *init = state;
  int r = 0;

  note_pipes (run);
  if (run->transport != INIT_OVER_FDS)
    return 0;
  r = make_sockets (&init->handshake, &init->child_fds[HANDSHAKE_FD]);
  if (r == 0)
    r = make_sockets (&init->status, &init->child_fds[STATUS_FD]);
  return r < 0 ? error_set_errno (err, -r, "make the sockets of run '%s'", run->dir->id) : 0;
}

/* It cannot be waited for any longer. Its ids and its directory stay until gc has removed them. */
static void leave_init (struct run *run, struct error *err)
{
  run->init->stuck = true;
  run->keep_dir = true;
  error_set (
      err, -EBUSY,
      "the first process of run '%s' (pid %d) was killed and has not ended: it hangs in the kernel, or "
      "waits for a process of its pid namespace that a parent or a debugger outside has not collected; "
      "'tyrum-oci gc' finishes the run",
      run->dir->id, (int) run->init->pid);
}

void run_close_child_fds (struct run *run)
{
  for (size_t i = 0; i < ARRAY_LEN (run->init->child_fds); i++)
    drop_fd (&run->init->child_fds[i]);
}

static void undo (struct run *run, void *state, struct error *err)
{
  struct run_init *init = state;
  int status;

  drop_fd (&init->handshake);
  run_signal (init->pidfd, init->pid, SIGKILL);
  if (init->stuck || (init->pid > 0 && run_wait_dying (run, init->pid, RUN_END_MS, &status) == -ETIMEDOUT))
    leave_init (run, err);
  drop_fd (&init->pidfd);
  init->pid = 0;
  drop_fd (&init->status);
  run_close_child_fds (run);
  talk_clear (&init->talk);
  proof_clear (&init->proof);
}

const struct run_part init_part = {
  .name = "init", .size = sizeof (struct run_init), .init = init, .prepare = prepare, .undo = undo
};

struct talk *run_talk (struct run *run)
{
  struct talk *talk = &run->init->talk;

  talk->stdio = run->transport == INIT_OVER_STDIO;
  talk->from = talk->stdio ? run->streams[STREAM_OUT].from : run->init->handshake;
  talk->to = talk->stdio ? run->streams[STREAM_IN].to : run->init->handshake;
  talk->pid = run->init->pid;
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
  int pidfd = run->own_kernel ? -1 : run->init->pidfd, r;

  while ((r = proof_receive (&run->init->proof, promises, talk, pidfd, run->err)) == 0) {
    /* Init's next answers wait for what the listener answers. */
    run_listener_serve (run, take_fd (&run->init->proof.listener));
    if (await (run, talk->from, until) < 0)
      return run->err->code;
  }
  /* Where there was nothing to ask after it. */
  run_listener_serve (run, take_fd (&run->init->proof.listener));
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
  run->init->pid = talk->pid;
  if (run->init->pidfd < 0)
    run->init->pidfd = take_fd (&talk->pidfd);
  if (run->init->pidfd < 0 && run->init->pid > 0)
    run->init->pidfd = pidfd_open (run->init->pid, 0);
  return run->init->pidfd < 0 ? error_set_errno (run->err, errno, "take hold of init") : 0;
}

/* The runtime's own process became ours when its create ended; the kernel gives the pid to no other
 * process before we have waited for it. */
int run_take_sandbox (struct run *run)
{
  cleanup_free char *text = NULL;
  uint64_t pid;
  int r = file_read (run->dir->fd, "pid", 64, &text, NULL, run->err);

  if (r < 0)
    return r;
  text[strcspn (text, "\n")] = '\0';
  if (!number_parse (text, INT32_MAX, &pid) || pid <= 1)
    return error_set (run->err, -EPROTO, "%s wrote a pid that is none: '%s'", run->name, text);
  run->init->pid = (pid_t) pid;
  run->init->pidfd = pidfd_open (run->init->pid, 0);
  return run->init->pidfd < 0 ? error_set_errno (run->err, errno, "take hold of %s", run->name) : 0;
}

int run_go (struct run *run)
{
  int r = run_send (run, HANDSHAKE_GO, NULL, 0);

  drop_fd (&run->init->handshake);
  return r < 0 ? error_prefix (run->err, "give the go-ahead") : 0;
}

bool run_read_ended (struct run *run, struct handshake_ended *ret_ended)
{
  const struct handshake_header *header = &ret_ended->header;
  ssize_t n = recv (run->init->status, ret_ended, sizeof (*ret_ended), MSG_DONTWAIT);

  return n == (ssize_t) sizeof (*ret_ended) && header->magic == HANDSHAKE_MAGIC
         && header->version == HANDSHAKE_VERSION && header->type == HANDSHAKE_ENDED
         && header->length == sizeof (*ret_ended) - sizeof (*header);
}

void run_send_seen (struct run *run)
{
  const struct handshake_header seen = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, HANDSHAKE_SEEN, 0 };

  /* Init may have ended by now. */
  if (send (run->init->status, &seen, sizeof (seen), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    errno = 0;
  drop_fd (&run->init->status);
}

/* The socket in the run's directory to which init connects, where an engine passes no descriptors.
 *
 * Every process that finds the name may connect, as the command's user inside has to. The peer's pid
 * decides, as the kernel gives it: it must be that of the container's first process, which the engine
 * reports. That is init, as long as the command has not started; by then the name and the socket are gone.
 * Other connections are closed without an answer. */
#define RENDEZVOUS_DIRECTORY "rendezvous"
#define CONNECT_MS           250

#define STREAMS 3

int run_rendezvous_open (struct run *run)
{
  cleanup_close int directory =
      openat (run->dir->fd, RENDEZVOUS_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (directory < 0)
    return error_set_errno (run->err, errno, "open the rendezvous of run '%s'", run->dir->id);
  run->engine->rendezvous = rendezvous_open (directory, run->err);
  return run->engine->rendezvous < 0 ? run->engine->rendezvous : 0;
}

void run_rendezvous_close (struct run *run)
{
  cleanup_free char *name = str_format ("%s/" RENDEZVOUS_DIRECTORY "/" RENDEZVOUS_SOCKET, run->dir->path);

  if (run->engine->rendezvous < 0)
    return;
  drop_fd (&run->engine->rendezvous);
  if (name != NULL && unlink (name) < 0)
    errno = 0; /* goes with the directory */
}

static int send_streams (struct run *run)
{
  struct handshake_header header = { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, HANDSHAKE_STREAMS, 0 };
  struct iovec part = { &header, sizeof (header) };
  union {
    char bytes[CMSG_SPACE (STREAMS * sizeof (int))];
    struct cmsghdr align;
  } control = { 0 };
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  struct cmsghdr *c = CMSG_FIRSTHDR (&message);

  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN (STREAMS * sizeof (int));
  memcpy (CMSG_DATA (c), run->init->child_fds, STREAMS * sizeof (int));
  if (sendmsg (run->init->status, &message, MSG_NOSIGNAL) != (ssize_t) sizeof (header))
    return error_set_errno (run->err, errno, "give init its standard streams");
  run_close_child_fds (run);
  return 0;
}

int run_rendezvous_accept (struct run *run, pid_t pid)
{
  cleanup_talk struct talk status = TALK_NONE;

  while (run->init->status < 0) {
    int r = run_await (run, run->engine->rendezvous, POLLIN, run_now_ms () + CONNECT_MS, run->err), fd;

    if (r < 0)
      return r == -ETIMEDOUT ? -EAGAIN : r;
    fd = rendezvous_accept (run->engine->rendezvous, pid);
    if (fd < 0)
      continue;
    if (run->init->handshake < 0)
      run->init->handshake = fd;
    else
      run->init->status = fd;
  }
  run_rendezvous_close (run);
  /* A process that connected may have passed the socket on: the sender of the first packet counts. */
  status.from = run->init->status;
  status.pid = pid;
  if (run_receive_hello (run, &status) < 0)
    return error_prefix (run->err, "receive init's hello at the rendezvous");
  run->init->pid = pid;
  if (!run->options->plan->terminal)
    return send_streams (run);
  if (status.passed < 0)
    return error_set (run->err, -EPROTO, "init handed over no terminal");
  return run_terminal_take (run, take_fd (&status.passed));
}
