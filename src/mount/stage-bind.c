/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounting by descriptor on kernels without open_tree, move_mount or mount_setattr (before 5.12), or under a
 * seccomp filter without them.
 *
 * The source is named by its descriptor in /proc, which leads to the file that was opened and compared, even
 * if its path has changed since. mount(2) sets flags on one mount at a time and by path, and paths below a
 * source may change meanwhile: so afterwards the mount table is read again, and a mount at or below the
 * target that lacks a flag refuses the run.
 */
#include <config.h>

#include "mount-stage-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-path.h"
#include "mount-remount.h"
#include "posture-proc.h"

#define MOUNTINFO_MAX ((size_t) 16 * 1024 * 1024)

static const struct {
  const char *name;
  unsigned long flag;
} options[] = {
  { "ro", MS_RDONLY },
  { "nosuid", MS_NOSUID },
  { "nodev", MS_NODEV },
  { "noexec", MS_NOEXEC },
};

static unsigned long flags_of (const struct proc_mount *mount)
{
  unsigned long flags = 0;

  for (size_t i = 0; i < ARRAY_LEN (options); i++)
    if (proc_option_has (mount->options, options[i].name))
      flags |= options[i].flag;
  return flags;
}

/* Calls EACH for every mount at or below TARGET, in the order in which they were made. */
static int for_each_mount (const char *target, unsigned long flags,
                           int (*each) (const char *path, unsigned long has, unsigned long flags,
                                        struct error *err),
                           struct error *err)
{
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };
  cleanup_free char *text = NULL;
  int r = file_read (AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, NULL, err);

  if (r < 0)
    return r;
  r = proc_mounts_read (text, &mounts);
  if (r < 0)
    return error_set_errno (err, -r, "parse '/proc/self/mountinfo'");
  for (size_t i = 0; r == 0 && i < mounts.count; i++)
    if (path_is_within (mounts.items[i].point, target))
      r = each (mounts.items[i].point, flags_of (&mounts.items[i]), flags, err);
  return r;
}

static int set_flags (const char *path, unsigned long has, unsigned long flags, struct error *err)
{
  int r = (has & flags) == flags ? 0 : mount_add_flags (path, flags);

  return r < 0 ? error_set_errno (err, -r, "set the flags of '%s'", path) : 0;
}

static int check_flags (const char *path, unsigned long has, unsigned long flags, struct error *err)
{
  if ((has & flags) != flags)
    return error_set (err, -EPERM,
                      "the flags of '%s' could not be set: its directories were changed meanwhile", path);
  return 0;
}

int mount_by_bind (int fd, const char *target, uint64_t more, struct error *err)
{
  unsigned long flags = MS_NOSUID | MS_NODEV | (more & MOUNT_ATTR_RDONLY ? MS_RDONLY : 0)
                        | (more & MOUNT_ATTR_NOEXEC ? MS_NOEXEC : 0);
  char source[32];
  int r;

  snprintf (source, sizeof (source), "/proc/self/fd/%d", fd);
  if (mount (source, target, NULL, MS_BIND | MS_REC, NULL) < 0)
    return error_set_errno (err, errno, "mount on '%s'", target);
  r = for_each_mount (target, flags, set_flags, err);
  return r < 0 ? r : for_each_mount (target, flags, check_flags, err);
}
