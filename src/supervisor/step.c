/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for a step, and for nothing that cannot come any more. */
#include <config.h>

#include "supervisor-step-internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "mount-stage.h"
#include "supervisor-process.h"

#define STEP_MS 60000
/* A signal that does not get through is followed by a kill, which needs no runtime. */
#define SIGNAL_MS 2000
/* A runtime that starts a container which is dead already may wait for it for ever: long enough for its own
 * message, if it has noticed by itself. */
#define DEAD_MS 500

/* crun waits for ever for a message of a process of its own that was killed. One that a runtime does not
 * collect within seconds it will not miss any more. */
#define LOOK_MS    1000
#define LOOKS_DEAD 4

/* The child's report, and the stage's namespaces; an empty text where it went well. False after the last one.
 */
static bool receive_staged (int report, char *text, size_t size, int *ret_ns)
{
  struct iovec part = { text, size - 1 };
  union {
    char bytes[CMSG_SPACE (STAGE_NS_BYTES)];
    struct cmsghdr align;
  } control;
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof (control)
  };
  ssize_t n = recvmsg (report, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR (&message) : NULL;

  if (n <= 0)
    return false;
  text[n] = '\0';
  if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS
      && c->cmsg_len == CMSG_LEN (STAGE_NS_BYTES))
    memcpy (ret_ns, CMSG_DATA (c), STAGE_NS_BYTES);
  return true;
}

void run_signal (int pidfd, pid_t pid, int signal_number)
{
  int saved = errno;

  if (pidfd >= 0 && pid > 0 && syscall (SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) < 0
      && errno == ENOSYS)
    kill (pid, signal_number); /* before Linux 5.1; its number is its own until it is waited for */
  errno = saved;
}

/* What a step is waited for with. The container's first process has the other end of the handshake, and
 * no other once the runtime has closed it: when that hangs up there is nothing left to start. */
struct waiting {
  struct run *run;
  pid_t pid;
  struct event ended, report, handshake, clock;
  char *said;
  size_t size;
  uint64_t until,
      look_at; /* when it is late, and when to look next whether a process of the runtime's has died unseen */
  unsigned unseen; /* how often in a row one had */
  bool dead, over;
  int failed;
  struct error *err;
};

/* The child has a message: its maps are wanted, or it tells how it went. False after the last one. */
static bool take_report (struct waiting *wait)
{
  int report = wait->report.fd;

  if (!receive_staged (report, wait->said, wait->size, wait->run->stage->ns))
    return false;
  if (strcmp (wait->said, STAGE_MAP_ME) != 0)
    return true;
  wait->said[0] = '\0';
  wait->failed = stage_write_maps (&wait->run->launch, wait->pid, wait->err);
  if (wait->failed == 0 && send (report, "", 1, MSG_NOSIGNAL) != 1)
    wait->failed = error_set_errno (wait->err, errno, "answer the stage");
  return wait->failed == 0;
}

static void on_report (struct event *event, short revents)
{
  (void) revents;
  if (!take_report (event->data))
    event_remove (event);
}

static void on_ended (struct event *event, short revents)
{
  struct waiting *wait = event->data;

  (void) revents;
  wait->over = true;
}

static void on_dead (struct event *event, short revents)
{
  struct waiting *wait = event->data;

  (void) revents;
  event_remove (&wait->handshake);
  wait->dead = true;
  wait->until = run_now_ms () + DEAD_MS;
}

static void set_clock (struct event *event)
{
  const struct waiting *wait = event->data;

  event->due = !wait->dead && wait->look_at < wait->until ? wait->look_at : wait->until;
}

static void on_clock (struct event *event, short revents)
{
  struct waiting *wait = event->data;
  uint64_t now = run_now_ms ();

  if (now >= wait->until && wait->dead)
    wait->failed = error_set (wait->err, -ECHILD, "the container's first process ended before it said hello");
  else if (now >= wait->until)
    wait->failed = error_set (wait->err, -ETIMEDOUT, "%s did not answer in time", wait->run->name);
  if (wait->dead || now < wait->look_at)
    return;
  wait->look_at = now + LOOK_MS;
  wait->unseen = process_has_dead_below (wait->pid) ? wait->unseen + 1 : 0;
  if (wait->unseen >= LOOKS_DEAD)
    on_dead (event, revents);
}

static bool is_over (void *data)
{
  const struct waiting *wait = data;

  return wait->failed < 0 || wait->over || (wait->ended.fd < 0 && process_has_ended (wait->pid));
}

static void watch (struct waiting *wait, struct event *event, int fd, short events,
                   void (*call) (struct event *event, short revents))
{
  *event = (struct event){ .fd = fd, .events = events, .rank = EVENT_LAST, .call = call, .data = wait };
  event_add (&wait->run->loop, event);
}

/* Until it has ended, or is given up. */
static int watch_step (struct waiting *wait, int pidfd)
{
  struct event *const events[] = { &wait->ended, &wait->report, &wait->handshake, &wait->clock };
  int r;

  watch (wait, &wait->report, wait->report.fd, POLLIN, on_report);
  watch (wait, &wait->handshake, wait->run->init->handshake, 0, on_dead);
  watch (wait, &wait->ended, pidfd, POLLIN, on_ended);
  watch (wait, &wait->clock, -1, 0, on_clock);
  wait->clock.before = set_clock;
  r = run_await_until (wait->run, is_over, wait, EVENT_NEVER, wait->err);
  for (size_t i = 0; i < ARRAY_LEN (events); i++)
    event_remove (events[i]);
  return r < 0 ? r : wait->failed;
}

int step_wait (struct run *run, enum runtime_step step, pid_t pid, int report, char *said, size_t size,
               int *ret_status, struct error *err)
{
  cleanup_close int pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  uint64_t now = run_now_ms ();
  struct waiting wait = { .run = run,
                          .pid = pid,
                          .report.fd = report,
                          .said = said,
                          .size = size,
                          .until = now + (step == STEP_KILL ? SIGNAL_MS : STEP_MS),
                          .look_at = now + LOOK_MS,
                          .err = err };
  int r;

  run_spare (run, pid);
  r = watch_step (&wait, pidfd);
  if (r < 0)
    kill (pid, SIGKILL);
  /* Its last report may still be there; that others hold its end of the socket is no reason to wait. */
  while (r == 0 && take_report (&wait))
    continue;
  if (waitpid (pid, ret_status, 0) != pid && r == 0)
    r = error_set_errno (err, errno, "wait for %s", run->name);
  run_spare_no_more (run, pid);
  return r < 0 ? r : wait.failed;
}
