/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a program can be executed, without and with the restriction that the command gets.
 *
 * AT_EXECVE_CHECK (Linux 6.14) answers without executing anything. On older kernels only init itself is
 * executed, because it is the one program that is known to be harmless.
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
#include "init-path.h"
#include "init-tools.h"

#define EXECVE_CHECK 0x10000

static bool is_init (const char *path)
{
  struct stat own, other;

  return stat ("/proc/self/exe", &own) == 0 && stat (path, &other) == 0 && own.st_dev == other.st_dev
         && own.st_ino == other.st_ino;
}

/* In the child. Returns an errno; does not return if init was executed again. */
static int try (const char *path, bool bounded)
{
  char word[] = "--nothing";
  char *const argv[] = { word, word, NULL };
  char *const none[] = { NULL };
  bool own = is_init (path);
  int r = bounded ? tools_confine () : 0;

  if (r < 0)
    return EBADE;
  if (syscall (SYS_execveat, AT_FDCWD, path, argv, none, EXECVE_CHECK) == 0)
    return 0;
  if (errno != EINVAL)
    return errno;
  if (!own)
    return ENOSYS;
  close (STDERR_FILENO);
  execve (path, argv, none);
  return errno;
}

/* A successful exec closes the pipe without writing to it. */
static int execute (const char *path, bool bounded, int32_t *ret_errnum)
{
  pid_t init = getpid ();
  int32_t errnum = 0;
  int ends[2];
  ssize_t got;

  if (pipe2 (ends, O_CLOEXEC) < 0)
    return -errno;
  pid_t pid = fork ();
  if (pid == 0) {
    if (prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid () == init)
      errnum = try (path, bounded);
    got = write (ends[1], &errnum, sizeof errnum);
    _exit (got == sizeof errnum ? 0 : 1);
  }
  int r = pid < 0 ? -errno : 0;
  close (ends[1]);
  do
    got = r < 0 ? 0 : read (ends[0], &errnum, sizeof errnum);
  while (got < 0 && errno == EINTR);
  close (ends[0]);
  if (pid > 0) {
    kill (pid, SIGKILL);
    while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  *ret_errnum = got == sizeof errnum ? errnum : 0;
  return r;
}

int answer_execute (const struct asked *asked, struct answers *answers)
{
  struct report_execute report = { 0 };
  char path[PATH_MAX];
  int r = path_asked (asked, path);

  if (r == 0)
    r = execute (path, false, &report.free_errnum);
  if (r == 0)
    r = execute (path, true, &report.bounded_errnum);
  if (r == 0 && (report.free_errnum == ENOSYS || report.bounded_errnum == ENOSYS))
    r = -EOPNOTSUPP;
  return r < 0 ? r : answers_add (answers, &report, sizeof report);
}
