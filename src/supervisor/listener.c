/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seccomp listener: the end of a run's filter at which refused calls are reported.
 *
 * Init loads the filter after the runtime has loaded its own (enum filter_mode), and sends us the kernel's
 * listener; no other process has it. From then on every refusal worth reporting (filter_tells) waits for our
 * answer, which is the errno that the filter's list gives, never "go on". As an event of the run's loop it is
 * served during every wait, until the end. When the supervisor is gone the kernel fails the calls that wait.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "denial-call.h"
#include "state-caller.h"

/* From Linux 6.6; missing from older headers. */
#define NOTIF_SET_FLAGS    SECCOMP_IOW (4, __u64)
#define NOTIF_SYNC_WAKE_UP 1ul

/* Calls that are answered before other events are served. */
#define CALLS_AT_ONCE 64

extern const struct run_part listener_part;

struct listener {
  struct event event;    /* its descriptor is -1: there is none yet, or not any more */
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

void run_listener_serve (struct run *run, int fd)
{
  struct listener *listener = run_part_state (run, &listener_part);

  if (fd < 0 || listener == NULL)
    return;
  /* Caller and listener wait for each other, so the kernel may switch between them at once; one that cannot
   * (before 6.6) is only slower. */
  if (ioctl (fd, NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE_UP) < 0)
    errno = 0;
  event_remove (&listener->event);
  close_p (&listener->event.fd);
  listener->event.fd = fd;
  event_add (&run->loop, &listener->event);
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
static bool answer_one (struct run *run, struct listener *listener)
{
  const struct plan *plan = run->options->plan;
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
    record (listener, plan, &call, request, &run->result.denials);
  memset (reply, 0, listener->reply_size);
  reply->id = request->id;
  /* Until the command starts only init's probes come, and this number shows that we have answered them. */
  reply->error =
      listener->recording ? -denied_call_answer (plan->filter, &call) : -run->init->restriction.answer;
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
  for (unsigned i = 0; i < CALLS_AT_ONCE && answer_one (run, listener); i++)
    continue;
  run_tell_denials (run);
}

static void init (struct run *run, void *state)
{
  struct listener *listener = state;

  listener->event = (struct event){ .fd = -1, .events = POLLIN, .call = on_call, .data = run };
}

/* Where there can be none the runtime's filter answers by itself, and refusals are not reported: init needs
 * no_new_privileges to load a filter, and a socket to hand its listener over. */
static int prepare (struct run *run, void *state, struct error *err)
{
  const struct plan *plan = run->options->plan;
  int r;

  if (run->transport != INIT_OVER_FDS || plan->filter == NULL
      || !plan->settings.values[SETTING_NO_NEW_PRIVILEGES].flag)
    return 0;
  r = take_buffers (state);
  if (r == -ENOMEM)
    return error_oom (err);
  run->launch.listens = r == 0;
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
