/* System calls that the supervisor wants to see made, each in a process that nothing else depends on.
 *
 * A call may end its process: then there is a new one for the next. A call that succeeded may have changed
 * its process (left a namespace, taken a lock, installed a filter): then there is a new one as well. What
 * failed has changed nothing, and as most calls that are asked for shall fail, one process makes most of
 * them.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-fds.h"

/* Where the process that makes the calls has its end of the pipe. */
#define RESULTS_FD (STDERR_FILENO + 1)

/* A process that makes calls, as init sees it. No pid: none. */
struct maker {
  pid_t pid;
  int results; /* int64_t each, in the order of the questions */
};

static bool call_asked (const struct asked *asked, struct report_call *ret_call)
{
  if (asked->length != sizeof *ret_call)
    return false;
  memcpy (ret_call, asked->bytes, sizeof *ret_call);
  return true;
}

static int64_t make_call (const struct report_call *call)
{
  const uint64_t *a = call->arguments;
  long r = syscall ((long) call->number, (long) a[0], (long) a[1], (long) a[2], (long) a[3], (long) a[4],
                    (long) a[5]);

  /* The C library takes what is from -4095 to -1 for an error, as the kernel does. */
  return r == -1 ? -errno : r;
}

/* Ends with init, and has none of its sockets. */
static bool leave_init (pid_t init, int pipe_fd)
{
  struct failure ignored = { 0 };

  return prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid () == init
         && dup2 (pipe_fd, RESULTS_FD) == RESULTS_FD && fds_close_from (RESULTS_FD + 1, &ignored) == 0;
}

/* The child. */
static _Noreturn void make_calls (struct questions questions)
{
  struct asked asked;
  struct report_call call;
  long me = syscall (SYS_gettid);

  while (questions_next (&questions, &asked) && asked.kind == QUESTION_CALL) {
    if (!call_asked (&asked, &call))
      continue;
    int64_t result = make_call (&call);
    /* The call made a process, or a thread, and this is it. */
    while (result == 0 && syscall (SYS_gettid) != me)
      syscall (SYS_exit, 0);
    if (write (RESULTS_FD, &result, sizeof result) != sizeof result || result >= 0)
      break;
  }
  _exit (0);
}

static int start_maker (struct questions questions, struct maker *ret_maker)
{
  pid_t init = getpid ();
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -errno;
  pid_t pid = fork ();
  int r = pid < 0 ? -errno : 0;
  if (pid == 0) {
    if (leave_init (init, ends[1]))
      make_calls (questions);
    _exit (1);
  }
  close (ends[1]);
  if (r < 0) {
    close (ends[0]);
    return r;
  }
  *ret_maker = (struct maker){ .pid = pid, .results = ends[0] };
  return 0;
}

/* Returns the signal that ended it, or 0. */
static int collect_maker (struct maker *maker)
{
  int status = 0;
  pid_t got;

  if (maker->pid == 0)
    return 0;
  close (maker->results);
  do {
    got = waitpid (maker->pid, &status, 0);
    /* It asked to be traced, and init does not trace. */
    if (got == maker->pid && WIFSTOPPED (status))
      kill (maker->pid, SIGKILL);
  } while ((got < 0 && errno == EINTR) || (got == maker->pid && WIFSTOPPED (status)));
  /* Processes that its calls made. */
  while (waitpid (-1, NULL, WNOHANG) > 0)
    ;
  *maker = (struct maker){ 0 };
  return got > 0 && WIFSIGNALED (status) ? WTERMSIG (status) : 0;
}

/* One result. False if the process ended instead. */
static bool read_result (const struct maker *maker, int64_t *ret_result)
{
  ssize_t got;

  do
    got = read (maker->results, ret_result, sizeof *ret_result);
  while (got < 0 && errno == EINTR);
  return got == sizeof *ret_result;
}

/* The call at the front of QUESTIONS. Returns what becomes of ERRNUM, negative. */
static int answer_call (struct questions questions, struct maker *maker, struct answers *answers)
{
  int64_t result;
  int r = maker->pid ? 0 : start_maker (questions, maker);

  if (r < 0)
    return r;
  if (!read_result (maker, &result)) {
    result = collect_maker (maker);
    r = -ECHILD;
  } else if (result >= 0) {
    collect_maker (maker);
  }
  int added = answers_add (answers, &result, sizeof result);
  return added < 0 ? added : r;
}

void answer_calls (struct questions *questions, struct answers *answers)
{
  struct questions next = *questions;
  struct maker maker = { 0 };
  struct asked asked;

  while (questions_next (&next, &asked) && asked.kind == QUESTION_CALL) {
    struct report_call call;
    int r = call_asked (&asked, &call) ? answer_call (*questions, &maker, answers) : -EINVAL;

    answers_close (answers, asked.kind, -r);
    *questions = next;
  }
  collect_maker (&maker);
}
