/* Executing a backend's steps: the first one on a new stage, the others in its mount namespace. */
#include <config.h>

#include "run-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "run-process.h"
#include "run-stage.h"

#define STEP_MS 60000
/* A signal that does not get through is followed by a kill, for which nobody is asked. */
#define SIGNAL_MS 2000
#define REAP_MS   20
/* A runtime that starts a container which is dead already may wait for it for ever: long enough to hear what
 * it has to say, if it has noticed by itself. */
#define DEAD_MS     500
#define ERROR_BYTES 4096

/* crun waits for ever for a word of a process of its own that was killed. One that a runtime does not collect
 * within seconds it will not miss any more. */
#define LOOK_MS    1000
#define LOOKS_DEAD 4

#define STAGE_NS_BYTES (2 * sizeof (int))

/* A runtime gets nothing of the caller's environment; hooks and plugins would inherit it. */
static char *const step_environment[] = {
  (char[]){ "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }, NULL
};

static void default_signals (void)
{
  sigset_t none;

  for (int signal_number = 1; signal_number < NSIG; signal_number++)
    signal (signal_number, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

int run_arrange_descriptors (const int *fds, size_t count)
{
  int moved[8];

  /* Out of the way first, so that no target is overwritten before it has been copied. */
  for (size_t i = 0; i < count; i++) {
    int from = fds[i] >= 0 ? fds[i] : (i < 3 ? open ("/dev/null", O_RDWR | O_CLOEXEC) : -1);

    moved[i] = from >= 0 ? fcntl (from, F_DUPFD_CLOEXEC, 64) : -1;
    if (from >= 0 && moved[i] < 0)
      return -errno;
  }
  for (size_t i = 0; i < count; i++) {
    if (moved[i] < 0)
      close ((int) i);
    else if (dup2 (moved[i], (int) i) < 0)
      return -errno;
  }
  if (syscall (SYS_close_range, (unsigned) count, ~0u, 0) == 0)
    return 0;
  if (errno != ENOSYS)
    return -errno;
  for (int fd = (int) count; fd < sysconf (_SC_OPEN_MAX); fd++)
    close (fd);
  return 0;
}

/* What a child has to say, with the stage's namespaces when it got that far. */
static void send_staged (int report, const char *text, const int *ns)
{
  char words[ERROR_BYTES];
  struct iovec part = { words, (size_t) snprintf (words, sizeof (words), "%s", text) + 1 };
  union {
    char bytes[CMSG_SPACE (STAGE_NS_BYTES)];
    struct cmsghdr align;
  } control = { 0 };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

  if (part.iov_len > sizeof (words))
    part.iov_len = sizeof (words);
  if (ns != NULL) {
    struct cmsghdr *c;

    message.msg_control = &control;
    message.msg_controllen = sizeof (control);
    c = CMSG_FIRSTHDR (&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN (STAGE_NS_BYTES);
    memcpy (CMSG_DATA (c), ns, STAGE_NS_BYTES);
  }
  /* The supervisor sees the exit code as well; a message that is lost costs only its words. */
  if (sendmsg (report, &message, MSG_NOSIGNAL) < 0)
    errno = 0;
}

struct child_plan {
  struct stage *stage; /* NULL: join STAGE_NS */
  const int *stage_ns;
  bool own_ids; /* the stage has a user namespace of its own */
  const int *fds;
  size_t fd_count;
  char *const *words;
  int report;
};

/* Into the namespaces of a stage that stands; as its root, where it has ids of its own. */
static int join_stage (const struct child_plan *child)
{
  if (child->own_ids
      && (setns (child->stage_ns[1], CLONE_NEWUSER) < 0 || setresgid (0, 0, 0) < 0
          || setresuid (0, 0, 0) < 0))
    return -errno;
  return setns (child->stage_ns[0], CLONE_NEWNS) < 0 ? -errno : 0;
}

static int prepare (const struct child_plan *child, struct error *err)
{
  int ns[2], r;

  if (child->stage == NULL) {
    r = join_stage (child);
    return r < 0 ? error_set_errno (err, -r, "join the stage") : 0;
  }
  child->stage->report = child->report;
  r = cgroup_enter (child->stage->plan, err);
  if (r < 0)
    return r;
  r = stage_build (child->stage, err);
  if (r < 0)
    return r;
  ns[0] = open ("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  ns[1] = open ("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
  if (ns[0] < 0 || ns[1] < 0)
    return error_set_errno (err, errno, "hold the stage open");
  send_staged (child->report, "", ns);
  return 0;
}

/* In the child, to the end. */
static void __attribute__ ((noreturn)) run_child (const struct child_plan *child, pid_t parent)
{
  struct error err = { 0 };

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (125);
  default_signals ();
  if (prepare (child, &err) < 0) {
    send_staged (child->report, error_text (&err), NULL);
    _exit (125);
  }
  /* Becoming somebody else has taken it away. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  umask (022);
  personality (0); /* the caller's may have switched address randomisation off */
  if (chdir ("/") < 0 || run_arrange_descriptors (child->fds, child->fd_count) < 0)
    _exit (125);
  execve (child->words[0], child->words, step_environment);
  _exit (127);
}

/* NULL-terminated copy of a list's pointers. */
static char **words_array (const struct strlist *words)
{
  char **array = calloc (words->count + 1, sizeof (*array));

  for (size_t i = 0; array != NULL && i < words->count; i++)
    array[i] = words->items[i];
  return array;
}

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
void run_reap_others (pid_t except)
{
  siginfo_t info;

  for (;;) {
    info.si_pid = 0;
    if (waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0
        || info.si_pid == except)
      return;
    waitpid (info.si_pid, NULL, 0);
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
struct step_wait {
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

static int late (const struct run *run, const struct step_wait *wait)
{
  if (wait->dead)
    return error_set (run->err, -ECHILD, "the container's first process ended before it said hello");
  return error_set (run->err, -ETIMEDOUT, "%s did not answer in time", run->ops->name);
}

static void see_dead (struct step_wait *wait)
{
  wait->handshake = -1;
  wait->dead = true;
  wait->until = run_now_ms () + DEAD_MS;
}

/* For kernels without pidfd_open. */
static bool has_ended (pid_t pid)
{
  siginfo_t info = { .si_pid = 0 };

  return waitid (P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == pid;
}

static void look_for_dead (struct step_wait *wait, pid_t pid)
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
static int watch_step (struct run *run, pid_t pid, int pidfd, struct step_wait *wait, char *said, size_t size,
                       bool *ret_ended)
{
  struct pollfd fds[] = {
    { pidfd, POLLIN, 0 }, { run->signals, POLLIN, 0 }, { wait->report, POLLIN, 0 }, { wait->handshake, 0, 0 }
  };
  uint64_t now = run_now_ms (), left = wait->until > now ? wait->until - now : 0;
  bool reaps = run->init_pid == 0;
  int n = poll (fds, ARRAY_LEN (fds),
                (reaps || pidfd < 0) && left > REAP_MS ? REAP_MS : (int) (left > LOOK_MS ? LOOK_MS : left));

  if (reaps)
    run_reap_others (pid);
  if (n > 0 && fds[2].revents != 0)
    return on_report (run, pid, &wait->report, said, size);
  if (n > 0 && fds[1].revents != 0 && run_was_interrupted (run))
    return error_set (run->err, -EINTR, "interrupted before the command was started");
  if (n > 0 && fds[3].revents != 0)
    see_dead (wait);
  look_for_dead (wait, pid);
  *ret_ended = pidfd >= 0 ? n > 0 && fds[0].revents != 0 : has_ended (pid);
  return !*ret_ended && run_now_ms () >= wait->until ? late (run, wait) : 0;
}

/* Waits until the child has ended, listening to what it says on the way. */
static int wait_child (struct run *run, enum backend_step step, pid_t pid, int report, char *said,
                       size_t size, int *ret_status)
{
  cleanup_close int pidfd = (int) syscall (SYS_pidfd_open, pid, 0);
  uint64_t until = run_now_ms () + (step == STEP_KILL ? SIGNAL_MS : STEP_MS);
  struct step_wait wait = {
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

static int judge_step (struct run *run, enum backend_step step, int status, const char *said)
{
  static const char *const names[] = { "create", "start", "signal", "delete" };
  cleanup_free char *why = NULL;

  if (said[0] != '\0')
    return error_set (run->err, -EIO, "set up the run: %s", said);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return 0;
  why = run->ops->failure (&run->launch, step, run->control);
  if (why != NULL)
    return error_set (run->err, -EIO, "%s could not %s the container: %s", run->ops->name, names[step], why);
  if (WIFEXITED (status))
    return error_set (run->err, -EIO, "%s could not %s the container: it ended with code %d and said nothing",
                      run->ops->name, names[step], WEXITSTATUS (status));
  return error_set (run->err, -EIO, "%s could not %s the container: it was ended by signal %d",
                    run->ops->name, names[step], WTERMSIG (status));
}

/* What the container gets is the child's now; ends that we kept would hide that it is gone. */
static void hand_over (struct run *run)
{
  for (size_t i = 0; i < ARRAY_LEN (run->child_fds); i++) {
    close_p (&run->child_fds[i]);
    run->child_fds[i] = -1;
  }
}

/* Executes one step and waits for it. */
static int execute (struct run *run, enum backend_step step, struct stage *stage, const int *fds,
                    size_t fd_count)
{
  cleanup_strlist struct strlist words = { 0 };
  cleanup_free char **array = NULL;
  cleanup_close int ours = -1, theirs = -1;
  char said[ERROR_BYTES] = "";
  int report[2], status = 0, r;
  pid_t parent = getpid (), pid;

  r = run->ops->words (&run->launch, step, &words, run->err);
  if (r < 0 || words.count == 0)
    return r;
  array = words_array (&words);
  if (array == NULL)
    return error_oom (run->err);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0)
    return error_set_errno (run->err, errno, "make a socket");
  ours = report[0];
  theirs = report[1];
  pid = fork ();
  if (pid == 0)
    run_child (&(const struct child_plan){ stage, run->stage_ns, run->options->plan->staged_ids, fds,
                                           fd_count, array, theirs },
               parent);
  if (pid < 0)
    return error_set_errno (run->err, errno, "start %s", run->ops->name);
  close_p (&theirs);
  theirs = -1;
  hand_over (run);
  r = wait_child (run, step, pid, ours, said, sizeof (said), &status);
  return r < 0 ? r : judge_step (run, step, status, said);
}

int run_stage_and_create (struct run *run)
{
  const struct plan *plan = run->options->plan;
  cleanup_close int theirs = -1;
  int fds[6], pair[2];
  size_t count = 3 + run->launch.passed;
  struct stage stage = { .plan = plan,
                         .folder = run->stage,
                         .init = run->options->init,
                         .own_kernel = run->ops->own_kernel,
                         .cgroup_view = run->ops->needs_v1_view && plan->cgroup == CGROUP_HYBRID };

  memcpy (fds, run->child_fds, sizeof (run->child_fds));
  if (run->ops->has_control) {
    if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
      return error_set_errno (run->err, errno, "make a socket");
    run->control = pair[0];
    theirs = pair[1];
    fds[count++] = theirs;
  }
  return execute (run, STEP_CREATE, &stage, fds, count);
}

int run_step (struct run *run, enum backend_step step)
{
  const int nothing[3] = { -1, -1, -1 };

  return execute (run, step, NULL, nothing, 3);
}
