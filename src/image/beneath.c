/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-beneath-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-path.h"

static int open_by_kernel (int root, const char *path, int flags)
{
  const struct open_how how = {
    .flags = (unsigned) flags,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  long fd = syscall (SYS_openat2, root, path, &how, sizeof (how));

  return fd < 0 ? -errno : (int) fd;
}

static int open_by_walk (int root, const char *path, int flags)
{
  cleanup_close int at = -1;

  for (;;) {
    size_t len = strcspn (path, "/");
    char name[NAME_MAX + 1];
    int next;

    if (len > NAME_MAX)
      return -ENAMETOOLONG;
    memcpy (name, path, len);
    name[len] = '\0';
    if (path[len] == '\0') {
      next = openat (at < 0 ? root : at, name, flags | O_NOFOLLOW);
      return next < 0 ? -errno : next;
    }
    next = openat (at < 0 ? root : at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
      return -errno;
    close_p (&at);
    at = next;
    path += len + 1;
  }
}

int image_beneath_open (int root, const char *path, int flags, bool walk)
{
  int fd = -ENOSYS;

  flags |= O_CLOEXEC;
  if (path[0] == '\0')
    path = ".";
  else if (!path_is_beneath (path))
    return -EXDEV;
  if (!walk)
    fd = open_by_kernel (root, path, flags);
  /* Seccomp filters that do not list openat2 answer ENOSYS or EPERM. If EPERM came from the file, the walk
   * fails with it again. */
  if (fd == -ENOSYS || fd == -EPERM)
    fd = open_by_walk (root, path, flags);
  return fd;
}
