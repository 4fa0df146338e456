/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "libcrun-helper-clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-number.h"

/* libcrun finds newuidmap here, and so do hooks that set no environment of their own. */
#define SAFE_PATH "/usr/sbin:/usr/bin:/sbin:/bin"

static void closedir_p (DIR **dir)
{
  if (*dir != NULL)
    closedir (*dir);
}

/* For kernels before 5.9, without close_range. */
static int close_listed (int first)
{
  cleanup (closedir_p) DIR *dir = opendir ("/proc/self/fd");
  const struct dirent *entry;

  if (dir == NULL)
    return -errno;
  for (;;) {
    uint64_t fd;

    errno = 0;
    entry = readdir (dir);
    if (entry == NULL)
      return -errno;
    if (number_parse (entry->d_name, INT32_MAX, &fd) && (int) fd >= first && (int) fd != dirfd (dir))
      close ((int) fd);
  }
}

int helper_close_from (int first, struct error *err)
{
  int r;

#ifdef SYS_close_range
  if (syscall (SYS_close_range, first, ~0U, 0) == 0)
    return 0;
#endif
  r = close_listed (first);
  if (r < 0)
    return error_set_errno (err, -r, "cannot close descriptors from %d on: cannot read '/proc/self/fd'",
                            first);
  return 0;
}

void helper_let_go (int end)
{
  for (int fd = STDERR_FILENO + 1; fd < end; fd++)
    close (fd);
}

int helper_check_open (int count, struct error *err)
{
  for (int fd = 0; fd < count; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      return error_set_errno (err, errno, "descriptor %d is to go into the container, but is not open", fd);
  return 0;
}

/* Uses the system call, because the C library reserves two signals and the caller may have ignored those as
 * well. The kernel's struct is smaller than the array on every architecture, and 0 in all members is the
 * default. */
static void default_action (int number)
{
  static const unsigned long nothing[16];

  /* Fails for SIGKILL and SIGSTOP. */
  syscall (SYS_rt_sigaction, number, nothing, NULL, (size_t) NSIG / 8);
}

int helper_clean_signals (struct error *err)
{
  sigset_t none;

  for (int number = 1; number < NSIG; number++)
    default_action (number);
  sigemptyset (&none);
  if (sigprocmask (SIG_SETMASK, &none, NULL) < 0)
    return error_set_errno (err, errno, "cannot unblock signals");
  return 0;
}

int helper_clean_process (struct error *err)
{
  umask (022);
  /* Detaches from the caller's terminal and its signals. Fails for a process group leader, as when started by
   * a shell, where it is not needed. */
  setsid ();
  if (clearenv () != 0 || setenv ("PATH", SAFE_PATH, 1) < 0)
    return error_oom (err);
  return helper_clean_signals (err);
}
