/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-namespace.h"

#define STREAMS 3

#define NULL_DEVICE makedev (1, 3)

enum stdio_kind stdio_kind_of (int fd)
{
  struct statfs fs;
  struct stat st;

  if (fstat (fd, &st) < 0)
    return STDIO_OTHER;
  if (S_ISSOCK (st.st_mode))
    return STDIO_PASSES;
  /* One with a name is a file of some directory. */
  if (S_ISFIFO (st.st_mode))
    return fstatfs (fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC ? STDIO_PASSES : STDIO_OTHER;
  return S_ISCHR (st.st_mode) && st.st_rdev == NULL_DEVICE ? STDIO_NULL : STDIO_OTHER;
}

int stdio_check (struct error *err)
{
  static const char *const names[STREAMS] = { "input", "output", "error" };

  for (int i = 0; i < STREAMS; i++) {
    char link[32], target[LIMIT_PATH_BYTES + 1];
    ssize_t n;

    if (stdio_kind_of (i) != STDIO_OTHER)
      continue;
    snprintf (link, sizeof (link), "/proc/self/fd/%d", i);
    n = readlink (link, target, sizeof (target) - 1);
    target[n > 0 ? n : 0] = '\0';
    return error_set (err, -EPERM,
                      "process.fds_closed: standard %s is '%s', and the low-level runtime would make the "
                      "container its owner; give a pipe, a socket or /dev/null, or use 'run', which copies",
                      names[i], target);
  }
  return 0;
}

/* A tmpfs that is mounted nowhere: no other process has a way to the device, and it goes with its last
 * descriptor.
 */
static int make_own (int flags)
{
  cleanup_close int context = (int) syscall (SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), tree = -1;
  int fd;

  if (context < 0 || syscall (SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
    return -errno;
  tree = (int) syscall (SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  /* Its name is what a command sees that asks what its input is. */
  if (tree < 0 || mkdirat (tree, "dev", 0755) < 0
      || mknodat (tree, "dev/null", S_IFCHR | 0666, NULL_DEVICE) < 0
      || fchmodat (tree, "dev/null", 0666, 0) < 0)
    return -errno;
  fd = openat (tree, "dev/null", flags | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

/* In a user's namespace no device can be made; but what the host's root owns cannot be given away there. */
static bool is_out_of_reach (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0 && st.st_uid == NAMESPACE_NOBODY && namespace_is_users (NULL);
}

static int replace (int fd, struct error *err)
{
  int flags = fcntl (fd, F_GETFL);
  cleanup_close int own = flags < 0 ? -errno : make_own (flags & O_ACCMODE);

  if (own == -EPERM && is_out_of_reach (fd))
    return 0;
  if (own < 0)
    return error_set_errno (err, -own, "make a null device of the container's own");
  return dup2 (own, fd) < 0 ? error_set_errno (err, errno, "replace /dev/null") : 0;
}

int stdio_replace_null (struct error *err)
{
  int r = 0;

  for (int i = 0; r == 0 && i < STREAMS; i++)
    if (stdio_kind_of (i) == STDIO_NULL)
      r = replace (i, err);
  return r;
}
