/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seccomp listener: the end of a run's filter at which refused calls are reported.
 *
 * The document names a socket in the run's directory. The runtime connects to it and sends the kernel's
 * listener when it has installed the filter; from then on every refusal worth reporting (filter_tells) waits
 * for our answer, which is the errno that the filter's list gives, never "go on". As an event of the run's
 * loop it is served during every wait: while the runtime works, while init answers, and until the end. When
 * the supervisor is gone the kernel fails the calls that wait.
 *
 * There is one descriptor at a time: the socket, then the runtime's connection, then the listener itself.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "denial-call.h"
#include "state-caller.h"

/* From Linux 6.6; missing from older headers. */
#define NOTIF_SET_FLAGS    SECCOMP_IOW (4, __u64)
#define NOTIF_SYNC_WAKE_UP 1ul

/* Calls that are answered before other events are served. */
#define CALLS_AT_ONCE 64

/* The runtime describes the container beside the descriptor, which is not needed. */
#define DESCRIPTION_BYTES 16384

enum listener_stage { LISTENER_AWAITS_RUNTIME, LISTENER_AWAITS_DESCRIPTOR, LISTENER_SERVES };

struct listener {
  struct event event; /* its descriptor is -1: there is none, or not any more */
  enum listener_stage stage;
  bool recording;        /* what is refused from now on is the command's doing */
  void *request, *reply; /* as large as the kernel has them */
  size_t request_size, reply_size;
};

static int take_buffers (struct listener *listener)
{
  struct seccomp_notif_sizes sizes;

  if (syscall (SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
    return -errno;
  listener->request_size = sizes.seccomp_notif;
  listener->reply_size = sizes.seccomp_notif_resp;
  if (listener->request_size < sizeof (struct seccomp_notif))
    listener->request_size = sizeof (struct seccomp_notif);
  if (listener->reply_size < sizeof (struct seccomp_notif_resp))
    listener->reply_size = sizeof (struct seccomp_notif_resp);
  listener->request = malloc (listener->request_size);
  listener->reply = malloc (listener->reply_size);
  return listener->request != NULL && listener->reply != NULL ? 0 : -ENOMEM;
}

/* runc hands a listener over by way of a pidfd. */
static bool has_pidfds (void)
{
  cleanup_close int fd = (int) syscall (SYS_pidfd_open, getpid (), 0);

  return fd >= 0;
}

/* Whether the kernel reports refused calls (since 5.0), and a socket can have the name PATH: they are short.
 */
static bool listener_is_possible (const char *path)
{
  struct seccomp_notif_sizes sizes;

  return has_pidfds () && strlen (path) < sizeof (((struct sockaddr_un *) NULL)->sun_path)
         && syscall (SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
}

static int listener_open (struct listener *listener, const char *path, struct error *err)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int r = take_buffers (listener);

  if (r < 0)
    return error_set_errno (err, -r, "ask how the kernel tells of refused calls");
  listener->stage = LISTENER_AWAITS_RUNTIME;
  listener->event.fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener->event.fd < 0)
    return error_set_errno (err, errno, "make a socket");
  memcpy (address.sun_path, path, strlen (path) + 1);
  /* Before it has a name, so that no other connection can come first. */
  if (fchmod (listener->event.fd, 0600) < 0
      || bind (listener->event.fd, (const struct sockaddr *) &address, sizeof (address)) < 0
      || listen (listener->event.fd, 1) < 0)
    return error_set_errno (err, errno, "listen on '%s'", path);
  return 0;
}

static void move_on (struct listener *listener, int fd, enum listener_stage stage)
{
  close_p (&listener->event.fd);
  listener->event.fd = fd;
  listener->stage = stage;
}

static void take_connection (struct listener *listener)
{
  int peer = accept4 (listener->event.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

  /* One that cannot be taken now would be offered again at once, and for ever. */
  if (peer >= 0 || (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED))
    move_on (listener, peer, LISTENER_AWAITS_DESCRIPTOR);
}

/* A runtime that closes without a message has no listener to give: the calls fail, and the posture shows it. */
static void take_descriptor (struct listener *listener)
{
  char description[DESCRIPTION_BYTES];
  struct iovec part = { description, sizeof (description) };
  union {
    char bytes[CMSG_SPACE (sizeof (int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  ssize_t n = recvmsg (listener->event.fd, &message, MSG_CMSG_CLOEXEC);
  struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR (&message) : NULL;
  int fd;

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0)
    move_on (listener, -1, LISTENER_AWAITS_DESCRIPTOR);
  if (c == NULL || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS
      || c->cmsg_len != CMSG_LEN (sizeof (int)))
    return;
  memcpy (&fd, CMSG_DATA (c), sizeof (fd));
  /* Caller and listener wait for each other, so the kernel may switch between them at once; one that cannot
   * (before 6.6) is only slower. */
  if (ioctl (fd, NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE_UP) < 0)
    errno = 0;
  move_on (listener, fd, LISTENER_SERVES);
}

static void record (struct listener *listener, const struct plan *plan, struct denied_call *call,
                    const struct seccomp_notif *request, struct denials *denials)
{
  struct caller caller;

  caller_read ((pid_t) request->pid, &caller);
  /* If the caller is gone by now, what was read may be about another process. */
  if (ioctl (listener->event.fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &request->id) < 0)
    return;
  call->pid = caller.pid;
  call->program = caller.program[0] != '\0' ? caller.program : NULL;
  denied_call_record (plan, call, denials);
  call->program = NULL;
}

static void listener_close (struct listener *listener)
{
  event_remove (&listener->event);
  drop_fd (&listener->event.fd);
  free (listener->request);
  free (listener->reply);
  listener->request = listener->reply = NULL;
}

/* One call. False if there is none, or the listener is of no use any more. */
static bool answer_one (struct listener *listener, const struct plan *plan, struct denials *denials)
{
  short ready = event_look (listener->event.fd, POLLIN, 0);
  struct seccomp_notif *request = listener->request;
  struct seccomp_notif_resp *reply = listener->reply;
  struct denied_call call = { 0 };

  if (ready == 0)
    return false;
  memset (request, 0, listener->request_size);
  if ((ready & POLLIN) == 0 || ioctl (listener->event.fd, SECCOMP_IOCTL_NOTIF_RECV, request) < 0) {
    /* A caller that was killed in the meantime leaves ENOENT; the last one that left, a hang-up. */
    if ((ready & POLLIN) == 0 || (errno != ENOENT && errno != EINTR))
      listener_close (listener);
    return false;
  }
  call.number = request->data.nr;
  _Static_assert(sizeof (call.arguments) == sizeof (request->data.args),
                 "as many arguments as the kernel has");
  memcpy (call.arguments, request->data.args, sizeof (call.arguments));
  if (listener->recording)
    record (listener, plan, &call, request, denials);
  memset (reply, 0, listener->reply_size);
  reply->id = request->id;
  reply->error = -denied_call_answer (plan->filter, &call);
  /* A caller that is gone needs no answer. Where one cannot be given the kernel is to give its own, or the
   * caller would wait for ever: it does when the listener is closed. */
  if (ioctl (listener->event.fd, SECCOMP_IOCTL_NOTIF_SEND, reply) < 0 && errno != ENOENT) {
    listener_close (listener);
    return false;
  }
  return true;
}

/* Never blocks; takes a bounded number of calls at once, so that a flood delays no other event for long. */
static void on_call (struct event *event, short revents)
{
  struct run *run = event->data;
  struct listener *listener = (struct listener *) event;

  (void) revents;
  if (listener->stage == LISTENER_AWAITS_RUNTIME)
    take_connection (listener);
  else if (listener->stage == LISTENER_AWAITS_DESCRIPTOR)
    take_descriptor (listener);
  else
    for (unsigned i = 0; i < CALLS_AT_ONCE && answer_one (listener, run->options->plan, &run->result.denials);
         i++)
      continue;
}

static void init (struct run *run, void *state)
{
  struct listener *listener = state;

  listener->event = (struct event){ .fd = -1, .events = POLLIN, .call = on_call, .data = run };
}

/* Where there can be none the filter answers by itself, and refusals are not reported. */
static int prepare (struct run *run, void *state, struct error *err)
{
  struct listener *listener = state;
  cleanup_free char *path = str_format ("%s/listener", run->dir->path);
  int r;

  if (path == NULL)
    return error_oom (err);
  if (!run->runtime->ops->listens || !listener_is_possible (path))
    return 0;
  r = listener_open (listener, path, err);
  if (r < 0)
    return r;
  event_add (&run->loop, &listener->event);
  run->launch.listener = take_ptr (path);
  return 0;
}

static int start (struct run *run, void *state, struct error *err)
{
  struct listener *listener = state;

  (void) run;
  (void) err;
  listener->recording = true;
  return 0;
}

static void undo (struct run *run, void *state, struct error *err)
{
  (void) run;
  (void) err;
  listener_close (state);
}

const struct run_part listener_part = { .name = "seccomp listener",
                                        .size = sizeof (struct listener),
                                        .init = init,
                                        .prepare = prepare,
                                        .start = start,
                                        .undo = undo };
