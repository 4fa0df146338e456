/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-remount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"

#define STACK_BYTES ((size_t) 64 * 1024)

#define SAME(a, b) ((unsigned long) (a) == (unsigned long) (b))

/* The same bits have three names. */
_Static_assert(SAME (MS_RDONLY, MOUNT_ATTR_RDONLY) && SAME (MS_NOSUID, MOUNT_ATTR_NOSUID)
                   && SAME (MS_NODEV, MOUNT_ATTR_NODEV) && SAME (MS_NOEXEC, MOUNT_ATTR_NOEXEC)
                   && SAME (MS_RDONLY, ST_RDONLY) && SAME (MS_NOSUID, ST_NOSUID) && SAME (MS_NODEV, ST_NODEV)
                   && SAME (MS_NOEXEC, ST_NOEXEC) && SAME (MS_NOATIME, ST_NOATIME)
                   && SAME (MS_NODIRATIME, ST_NODIRATIME),
               "flags of mounts have to be translated");

#define KEPT ((unsigned long) (ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC | ST_NOATIME | ST_NODIRATIME))

struct inside {
  int pidfd, namespaces;
  int (*calls) (const void *data);
  const void *data;
};

static int enter (void *data)
{
  const struct inside *inside = data;

  return setns (inside->pidfd, inside->namespaces) < 0 ? 127 : inside->calls (inside->data);
}

int mount_inside (int pidfd, int namespaces, int (*calls) (const void *data), const void *data)
{
  struct inside inside = { pidfd, namespaces, calls, data };
  cleanup_free char *stack = malloc (STACK_BYTES);
  /* Not shared with a user namespace: joining one changes who may inspect our memory. */
  int shared = namespaces & CLONE_NEWUSER ? 0 : CLONE_VM | CLONE_VFORK;
  pid_t pid = stack ? clone (enter, stack + STACK_BYTES, shared | SIGCHLD, &inside) : -1;
  int status = 0;

  if (pid < 0)
    return -1;
  while (waitpid (pid, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

/* Before Linux 5.12, or under a seccomp filter without mount_setattr. A remount replaces all flags; repeat
 * the existing ones. Without an atime flag the kernel would set strictatime. */
static int add_by_remount (const char *point, unsigned long flags)
{
  struct statvfs st;

  if (statvfs (point, &st) < 0)
    return -errno;
  flags |= st.f_flag & KEPT;
  if ((st.f_flag & ST_RELATIME) != 0)
    flags |= MS_RELATIME;
  else if ((flags & MS_NOATIME) == 0)
    flags |= MS_STRICTATIME;
  return mount (NULL, point, NULL, MS_REMOUNT | MS_BIND | flags, NULL) < 0 ? -errno : 0;
}

int mount_add_flags (const char *point, unsigned long flags)
{
  struct mount_attr attr = { .attr_set = flags };

  if (flags == 0
      || syscall (SYS_mount_setattr, AT_FDCWD, point, AT_SYMLINK_NOFOLLOW, &attr, sizeof (attr)) == 0)
    return 0;
  return errno == ENOSYS ? add_by_remount (point, flags) : -errno;
}
