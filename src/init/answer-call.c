/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls that the supervisor wants to observe, made in processes of their own.
 *
 * A call may end its process, and a call that succeeds may change it (leave a namespace, take a lock, install
 * a filter): in both cases a new process makes the next call. A call that fails or only queries changes
 * nothing. Most calls are expected to fail, so one process makes most of them. It leaves the results in
 * memory shared with init, so that init waits for it once and not for every call. The first process starts
 * before other questions are answered: some calls wait for the supervisor, and init answers the rest
 * meanwhile.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-fds.h"

/* The results of a process that makes calls. It may have been taken over: nothing in here can be trusted. */
struct made {
  uint32_t count;
  int64_t results[LIMIT_REPORT_CALLS];
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

  /* syscall() maps -4095 to -1 to errno, as the kernel defines it. */
  return r == -1 ? -errno : r;
}

/* Makes the process end with init, and closes init's sockets. */
static bool leave_init (pid_t init)
{
  struct failure ignored = { 0 };

  return prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid () == init
         && fds_close_from (STDERR_FILENO + 1, &ignored) == 0;
}

/* Whether the call leaves its process unchanged even if it succeeds. */
static bool only_asks (const struct report_call *call)
{
  return call->number == SYS_getpid
         || (call->number == SYS_prctl && call->arguments[0] == PR_GET_NO_NEW_PRIVS)
         || (call->number == SYS_prctl && call->arguments[0] == PR_CAP_AMBIENT
             && call->arguments[1] == PR_CAP_AMBIENT_IS_SET);
}

/* The child. */
static _Noreturn void make_calls (struct questions questions, struct made *made)
{
  struct asked asked;
  struct report_call call;
  long me = syscall (SYS_gettid);
  bool unchanged = true;

  while (unchanged && made->count < LIMIT_REPORT_CALLS && questions_next (&questions, &asked)
         && asked.kind == QUESTION_CALL) {
    if (!call_asked (&asked, &call))
      continue;
    int64_t result = make_call (&call);
    /* The call made a new process or thread, and this is it. */
    while (result == 0 && syscall (SYS_gettid) != me)
      syscall (SYS_exit, 0);
    made->results[made->count] = result;
    __atomic_store_n (&made->count, made->count + 1, __ATOMIC_RELEASE);
    unchanged = result < 0 || only_asks (&call);
  }
  _exit (0);
}

/* Waits for the end of PID. Returns the signal that ended it, or 0. */
static int collect (pid_t pid)
{
  int status = 0;
  pid_t got;

  do {
    got = waitpid (pid, &status, 0);
    /* It asked to be traced, and init does not trace. */
    if (got == pid && WIFSTOPPED (status))
      kill (pid, SIGKILL);
  } while ((got < 0 && errno == EINTR) || (got == pid && WIFSTOPPED (status)));
  /* Reaps processes that its calls made. */
  while (waitpid (-1, NULL, WNOHANG) > 0)
    ;
  return got > 0 && WIFSIGNALED (status) ? WTERMSIG (status) : 0;
}

/* Starts a process that makes calls from the front of QUESTIONS on, as many as it can. Returns its pid, or a
 * negative errno. */
static pid_t start_maker (struct questions questions, struct made *made)
{
  pid_t init = getpid ();

  made->count = 0;
  pid_t pid = fork ();
  if (pid == 0) {
    if (leave_init (init))
      make_calls (questions, made);
    _exit (1);
  }
  return pid < 0 ? -errno : pid;
}

static void add_result (struct answers *answers, int64_t result, int errnum)
{
  int r = answers_add (answers, &result, sizeof result);

  answers_close (answers, QUESTION_CALL, r < 0 ? -r : errnum);
}

/* Adds the results of MAKER to ANSWERS, or its errno if it is negative. The answer to a call that ended its
 * process is the signal. */
static void take_made (struct questions *questions, struct made *made, pid_t maker, struct answers *answers)
{
  struct asked asked;
  struct report_call call;
  struct questions next = *questions;
  int ended = maker < 0 ? (int) maker : collect (maker);
  uint32_t count = maker < 0 ? 0 : made->count, taken = 0;
  bool met = false;

  while (!met && questions_next (&next, &asked) && asked.kind == QUESTION_CALL) {
    if (!call_asked (&asked, &call)) {
      answers_close (answers, QUESTION_CALL, EINVAL);
    } else if (taken < count && taken < LIMIT_REPORT_CALLS) {
      add_result (answers, made->results[taken++], 0);
    } else if (taken == 0 || ended != 0) {
      /* Every round must answer at least one question, or the loop would not end. */
      add_result (answers, ended > 0 ? ended : 0, ended < 0 ? -ended : ECHILD);
      met = true;
    } else {
      return;
    }
    *questions = next;
  }
}

/* Uses the system call, because a check refuses allocators in init and would take mmap() for one. */
static struct made *share_memory (void)
{
  struct made *made;
  long at =
      syscall (SYS_mmap, NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0L);

  if (at == -1)
    return NULL;
  memcpy (&made, &at, sizeof made);
  return made;
}

void calls_start (struct questions questions, struct calls *ret_calls)
{
  struct asked asked;
  struct questions next = questions;

  *ret_calls = (struct calls){ 0 };
  while (questions_next (&next, &asked) && asked.kind != QUESTION_CALL)
    questions = next;
  if (questions.at == questions.end)
    return;
  ret_calls->made = share_memory ();
  if (ret_calls->made)
    ret_calls->maker = start_maker (questions, ret_calls->made);
}

void answer_calls (struct calls *calls, struct questions *questions, struct answers *answers)
{
  struct questions next = *questions;
  struct asked asked;

  while (questions_next (&next, &asked) && asked.kind == QUESTION_CALL) {
    if (calls->made) {
      pid_t maker = calls->maker ? (pid_t) calls->maker : start_maker (*questions, calls->made);

      calls->maker = 0;
      take_made (questions, calls->made, maker, answers);
      next = *questions;
    } else {
      answers_close (answers, asked.kind, ENOMEM);
      *questions = next;
    }
  }
}

void calls_end (struct calls *calls)
{
  if (calls->maker > 0)
    collect (calls->maker);
  if (calls->made)
    syscall (SYS_munmap, calls->made, sizeof *calls->made);
}
