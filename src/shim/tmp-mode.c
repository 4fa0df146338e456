/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-tmp-mode.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "mount-remount.h"

/* A /tmp without a mode of its own is as every /tmp; an engine that asks for another one gets that. */
static bool is_for_all (const struct plan_mount *mount)
{
  bool for_all = strcmp (mount->target, "/tmp") == 0;

  for (size_t i = 0; i < mount->options.count; i++)
    if (str_has_prefix (mount->options.items[i], "mode="))
      for_all = strcmp (mount->options.items[i], "mode=1777") == 0;
  return for_all && strcmp (mount->type, "tmpfs") == 0;
}

/* Only what is a tmpfs and mounted there: never a directory of the image's. */
static void open_for_all (const char *point)
{
  cleanup_close int fd = open (point, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct statx stx;
  struct statfs fs;

  if (fd >= 0 && statx (fd, "", AT_EMPTY_PATH, 0, &stx) == 0
      && (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 && fstatfs (fd, &fs) == 0
      && fs.f_type == TMPFS_MAGIC && fchmod (fd, 01777) < 0)
    errno = 0;
}

static int restore (const void *data)
{
  const struct promises *promises = data;

  for (size_t i = 0; i < promises->mount_count; i++)
    if (is_for_all (&promises->mounts[i]))
      open_for_all (promises->mounts[i].target);
  return 0;
}

void tmp_mode_restore (const struct promises *promises, int pidfd)
{
  (void) mount_inside (pidfd, CLONE_NEWNS, restore, promises);
}
