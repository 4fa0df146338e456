/* Waiting for a step, and for nothing that cannot come any more. */
#include <config.h>

#include "supervisor-step-internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "mount-stage.h"
#include "supervisor-process.h"

#define STEP_MS 60000
/* A signal that does not get through is followed by a kill, for which nobody is asked. */
#define SIGNAL_MS 2000
#define REAP_MS   20
/* A runtime that starts a container which is dead already may wait for it for ever: long enough to hear what
 * it has to say, if it has noticed by itself. */
#define DEAD_MS 500

/* crun waits for ever for a word of a process of its own that was killed. One that a runtime does not collect
 * within seconds it will not miss any more. */
#define LOOK_MS    1000
#define LOOKS_DEAD 4

/* What the child said, and the stage's namespace; an empty text where it went well. False when it says no
 * more. */
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

/* A runtime that ends a container waits until its processes are gone, and some of them are our children by
 * now. */
void run_reap_others (const struct run *run, pid_t except)
{
  const pid_t spared[] = { except, run->init_pid, run->watchdog.pid, run->cleanup_helper.pid };

  process_reap (spared, ARRAY_LEN (spared));
}

int run_wait_dying (const struct run *run, pid_t pid, int pidfd, uint64_t ms, int *ret_status)
{
  uint64_t until = run_now_ms () + ms;

  for (;;) {
    struct pollfd gone = { pidfd, POLLIN, 0 };
    pid_t done = waitpid (pid, ret_status, WNOHANG);

    if (done == pid)
      return 0;
    if (done < 0)
      return -errno;
    if (run_now_ms () >= until)
      return -ETIMEDOUT;
    run_reap_others (run, pid);
    /* One that is dead and cannot be collected yet belongs to a debugger. */
    if (pidfd < 0 || poll (&gone, 1, REAP_MS) != 0)
      process_pause_ms (1);
  }
}

/* The child has a message: its maps are wanted, or it tells how it went. *REPORT is -1 after the last one. */
static int on_report (struct run *run, pid_t pid, int *report, char *said, size_t size)
{
  int r;

  if (!receive_staged (*report, said, size, run->stage_ns)) {
    *report = -1;
    return 0;
  }
  if (strcmp (said, STAGE_MAP_ME) != 0)
    return 0;
  said[0] = '\0';
  r = stage_write_maps (run->options->plan, pid, run->err);
  if (r == 0 && send (*report, "", 1, MSG_NOSIGNAL) != 1)
    r = error_set_errno (run->err, errno, "answer the stage");
  return r;
}

void run_signal (int pidfd, pid_t pid, int signal_number)
{
  int saved = errno;

  if (pidfd >= 0 && pid > 0 && syscall (SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) < 0
      && errno == ENOSYS)
    kill (pid, signal_number); /* before Linux 5.1; its number is its own until it is waited for */
  errno = saved;
}

bool run_was_interrupted (struct run *run)
{
  struct signalfd_siginfo info;
  bool end = false;

  while (read (run->signals, &info, sizeof (info)) == (ssize_t) sizeof (info))
    end = end || info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT || info.ssi_signo == SIGHUP
          || info.ssi_signo == SIGQUIT;
  return end;
}

/* What a step is waited for with. The container's first process has the other end of the handshake, and
 * nobody else once the runtime has let it go: when that hangs up there is nothing left to start. */
struct waiting {
  int report;
  uint64_t until;
  int handshake; /* -1: nobody, or dead */
  bool dead;
  uint64_t look_at; /* when to look next whether a process of the runtime's has died unseen */
  unsigned unseen;  /* how often in a row one had */
};

static int give_up (pid_t pid, int code)
{
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  return code;
}

static int late (const struct run *run, const struct waiting *wait)
{
  if (wait->dead)
    return error_set (run->err, -ECHILD, "the container's first process ended before it said hello");
  return error_set (run->err, -ETIMEDOUT, "%s did not answer in time", run->ops->name);
}

static void see_dead (struct waiting *wait)
{
  wait->handshake = -1;
  wait->dead = true;
  wait->until = run_now_ms () + DEAD_MS;
}

static void look_for_dead (struct waiting *wait, pid_t pid)
{
  uint64_t now = run_now_ms ();

  if (wait->dead || now < wait->look_at)
    return;
  wait->look_at = now + LOOK_MS;
  wait->unseen = process_has_dead_below (pid) ? wait->unseen + 1 : 0;
  if (wait->unseen >= LOOKS_DEAD)
    see_dead (wait);
}

/* One look at everything that can happen while the step is under way. *RET_ENDED: the child has. */
static int watch_step (struct run *run, pid_t pid, int pidfd, struct waiting *wait, char *said, size_t size,
                       bool *ret_ended)
{
  struct pollfd fds[] = { { pidfd, POLLIN, 0 },
                          { run->signals, POLLIN, 0 },
                          { wait->report, POLLIN, 0 },
                          { wait->handshake, 0, 0 },
                          { run->listener.fd, POLLIN, 0 } };
  uint64_t now = run_now_ms (), left = wait->until > now ? wait->until - now : 0;
  int n = poll (fds, ARRAY_LEN (fds), (int) (left > REAP_MS ? REAP_MS : left));

  run_reap_others (run, pid);
  if (n > 0 && fds[4].revents != 0)
    run_serve (run);
  if (n > 0 && fds[2].revents != 0)
    return on_report (run, pid, &wait->report, said, size);
  if (n > 0 && fds[1].revents != 0 && run_was_interrupted (run))
    return error_set (run->err, -EINTR, "interrupted before the command was started");
  if (n > 0 && fds[3].revents != 0)
    see_dead (wait);
  look_for_dead (wait, pid);
  *ret_ended = pidfd >= 0 ? n > 0 && fds[0].revents != 0 : process_has_ended (pid);
  return !*ret_ended && run_now_ms () >= wait->until ? late (run, wait) : 0;
}

int step_wait (struct run *run, enum backend_step step, pid_t pid, int report, char *said, size_t size,
               int *ret_status)
{
  cleanup_close int pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  uint64_t until = run_now_ms () + (step == STEP_KILL ? SIGNAL_MS : STEP_MS);
  struct waiting wait = {
    .report = report, .until = until, .handshake = run->handshake, .look_at = run_now_ms () + LOOK_MS
  };
  bool ended = false;

  while (!ended) {
    int r = watch_step (run, pid, pidfd, &wait, said, size, &ended);

    if (r < 0)
      return give_up (pid, r);
  }
  /* What it said last may still be there; that others hold its end of the socket is no reason to wait. */
  while (wait.report >= 0 && on_report (run, pid, &wait.report, said, size) == 0)
    continue;
  return waitpid (pid, ret_status, 0) == pid
             ? 0
             : error_set_errno (run->err, errno, "wait for %s", run->ops->name);
}
