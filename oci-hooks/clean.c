/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "hook-hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whatever takes the place of a missing stream leads nowhere. */
static int hold_standard_streams (void)
{
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", O_RDWR) != fd)
      return -1;
  return 0;
}

int hook_clean (struct error *err)
{
  struct rlimit none = { 0, 0 };

  if (clearenv () != 0)
    return error_set (err, -ENOMEM, "clear the environment");
  if (hold_standard_streams () < 0)
    return error_set_errno (err, errno, "hold the standard streams");
  if (syscall (SYS_close_range, 3u, UINT_MAX, 0u) < 0)
    for (int fd = 3; fd < 1024; fd++)
      close (fd);
  if (chdir ("/") < 0)
    return error_set_errno (err, errno, "leave the working directory");
  umask (077);
  prctl (PR_SET_DUMPABLE, 0);
  setrlimit (RLIMIT_CORE, &none);
  return 0;
}
