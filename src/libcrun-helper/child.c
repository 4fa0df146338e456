/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "libcrun-helper-child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "libcrun-helper-clean.h"
#include "libcrun-helper-helper-request.h"
#include "wire-libcrun-helper.h"

/* How long a call may still take after the supervisor is gone. A call takes milliseconds; hooks may take
 * longer. */
#define GRACE_SECONDS 5

struct result {
  bool done;
  int code;
  pid_t pid;
  char text[LIMIT_HELPER_TEXT_BYTES];
};

static void unmap_p (struct result **result)
{
  if (*result != NULL)
    munmap (*result, sizeof (**result));
}

static struct result *map_result (struct error *err)
{
  void *memory =
      mmap (NULL, sizeof (struct result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED) {
    error_set_errno (err, errno, "cannot share memory with libcrun's process");
    return NULL;
  }
  return memory;
}

static int enter_child (const struct helper_request *request, pid_t parent, struct error *err)
{
  int r = helper_clean_signals (err);

  if (r == 0)
    r = helper_close_from (request->control_fd, err);
  if (r < 0)
    return r;
  if (prctl (PR_SET_PDEATHSIG, SIGKILL) < 0)
    return error_set_errno (err, errno, "cannot set the parent-death signal");
  if (getppid () != parent)
    return error_set (err, -ECANCELED, "the parent has ended");
  return 0;
}

__attribute__ ((noreturn)) static void child_main (child_call *call, const struct helper_request *request,
                                                   const char *spec, pid_t parent, struct result *result)
{
  struct error err = { 0 };
  int r = enter_child (request, parent, &err);

  /* The pid is set as soon as it is known, even if this process is killed later. */
  if (r == 0)
    r = call (request, spec, &result->pid, &err);
  result->code = r;
  if (r < 0)
    strncpy (result->text, error_text (&err), sizeof (result->text) - 1);
  result->done = true;
  _exit (EXIT_SUCCESS);
}

static void nothing (int number)
{
  (void) number;
}

/* Blocks SIGCHLD except in ppoll. */
static int prepare_to_wait (sigset_t *ret_waiting, struct error *err)
{
  struct sigaction action = { .sa_handler = nothing };
  sigset_t child;

  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  if (sigaction (SIGCHLD, &action, NULL) < 0 || sigprocmask (SIG_BLOCK, &child, ret_waiting) < 0)
    return error_set_errno (err, errno, "cannot wait for libcrun's process");
  sigdelset (ret_waiting, SIGCHLD);
  return 0;
}

static bool has_passed (const struct timespec *deadline)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec > deadline->tv_sec
         || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* Waits for CHILD and stores its status. Kills it GRACE_SECONDS after the supervisor is gone. */
static int wait_watching (pid_t child, int control_fd, const sigset_t *waiting, int *ret_status,
                          struct error *err)
{
  static const struct timespec step = { .tv_nsec = 100 * 1000 * 1000 };
  struct pollfd control = { .fd = control_fd };
  struct timespec deadline = { 0 };
  bool alone = false;

  for (;;) {
    pid_t done = waitpid (child, ret_status, WNOHANG);

    if (done == child)
      return 0;
    if (done < 0)
      return error_set_errno (err, errno, "cannot wait for libcrun's process");
    if (alone && has_passed (&deadline))
      kill (child, SIGKILL);
    /* A closed socket would wake ppoll every time, so it is polled only once. */
    if (ppoll (&control, alone ? 0 : 1, alone ? &step : NULL, waiting) > 0 && !alone) {
      alone = true;
      clock_gettime (CLOCK_MONOTONIC, &deadline);
      deadline.tv_sec += GRACE_SECONDS;
    }
  }
}

static int judge (const struct result *result, int status, pid_t *ret_pid, struct error *err)
{
  if (result->pid > 0)
    *ret_pid = result->pid;
  if (!result->done && WIFSIGNALED (status))
    return error_set (err, -EIO, "libcrun's process was killed by signal %d", WTERMSIG (status));
  if (!result->done)
    return error_set (err, -EIO, "libcrun ended its process with exit code %d, without a message",
                      WEXITSTATUS (status));
  return result->code < 0 ? error_set (err, result->code, "%s", result->text) : result->code;
}

int child_run (child_call *call, const struct helper_request *request, const char *spec, pid_t *ret_pid,
               struct error *err)
{
  cleanup (unmap_p) struct result *result = map_result (err);
  pid_t parent = getpid (), child;
  sigset_t waiting;
  int status, r;

  if (result == NULL)
    return err->code;
  r = prepare_to_wait (&waiting, err);
  if (r < 0)
    return r;
  child = fork ();
  if (child < 0)
    return error_set_errno (err, errno, "cannot fork");
  if (child == 0)
    child_main (call, request, spec, parent, result);
  helper_let_go (request->control_fd);
  r = wait_watching (child, request->control_fd, &waiting, &status, err);
  if (r < 0)
    return r;
  return judge (result, status, ret_pid, err);
}
