/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Apart from file.c, which static programs are built with, too: their C library may have no openat2.h. */
#include <config.h>

#include "base-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* For kernels before 5.6, and seccomp filters that answer ENOSYS to openat2. A kernel before 5.8 can only
 * compare file systems, not mounts of the same one. */
static bool is_same_mount (int a, int b)
{
  struct statx first, second;

  if (statx (a, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &first) < 0
      || statx (b, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &second) < 0)
    return false;
  if ((first.stx_mask & second.stx_mask & STATX_MNT_ID) != 0)
    return first.stx_mnt_id == second.stx_mnt_id;
  return first.stx_dev_major == second.stx_dev_major && first.stx_dev_minor == second.stx_dev_minor;
}

int file_open_unmounted (int at, const char *name)
{
  const struct open_how how = { .flags = OPEN_DIRECTORY,
                                .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  cleanup_close int fd = (int) syscall (SYS_openat2, at, name, &how, sizeof (how));

  if (fd >= 0)
    return take_fd (&fd);
  if (errno != ENOSYS)
    return -errno;
  fd = openat (at, name, OPEN_DIRECTORY);
  if (fd < 0)
    return -errno;
  return is_same_mount (at, fd) ? take_fd (&fd) : -EXDEV;
}
