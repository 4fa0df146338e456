/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-signals.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNAL_LAST 64

/* The kernel's sigset_t on the architectures that we build for. */
typedef uint64_t signal_set;

static const signal_set every_signal = UINT64_MAX;
static const signal_set no_signal = 0;

static int set_mask (const signal_set *set)
{
  return syscall (SYS_rt_sigprocmask, SIG_SETMASK, set, NULL, sizeof *set) < 0 ? -errno : 0;
}

int signals_block_all (struct failure *failure)
{
  int r = set_mask (&every_signal);
  return r < 0 ? failure_set_errno (failure, -r, "cannot block signals", NULL) : 0;
}

int signals_unblock_all (void)
{
  return set_mask (&no_signal);
}

void signals_default_all (void)
{
  /* Larger than the kernel's struct sigaction on any architecture: handler, flags, restorer, mask. All zero
   * is SIG_DFL. */
  static const unsigned long action[8];

  /* Fails for SIGKILL and SIGSTOP, which always have the default. */
  for (long n = 1; n <= SIGNAL_LAST; n++)
    syscall (SYS_rt_sigaction, n, action, NULL, sizeof (signal_set));
}

int signals_wait (siginfo_t *ret_info)
{
  long r;

  do
    r = syscall (SYS_rt_sigtimedwait, &every_signal, ret_info, NULL, sizeof every_signal);
  while (r < 0 && errno == EINTR);
  return r < 0 ? -errno : 0;
}
