#include <config.h>

#include "shim-remount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base-cleanup.h"

static uint64_t flags_of (const struct strlist *options)
{
  static const struct {
    const char *option;
    uint64_t flag;
  } known[] = { { "ro", MOUNT_ATTR_RDONLY },
                { "nosuid", MOUNT_ATTR_NOSUID },
                { "nodev", MOUNT_ATTR_NODEV },
                { "noexec", MOUNT_ATTR_NOEXEC } };
  uint64_t flags = 0;

  for (size_t i = 0; i < options->count; i++)
    for (size_t k = 0; k < ARRAY_LEN (known); k++)
      if (strcmp (options->items[i], known[k].option) == 0)
        flags |= known[k].flag;
  return flags;
}

static void set_flags (const char *point, uint64_t flags)
{
  struct mount_attr attr = { .attr_set = flags };

  /* Where nothing is mounted, or it cannot be done, the judge will see it. */
  if (flags != 0
      && syscall (SYS_mount_setattr, AT_FDCWD, point, AT_SYMLINK_NOFOLLOW, &attr, sizeof (attr)) < 0)
    errno = 0;
}

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

static _Noreturn void remount_inside (const struct promises *promises, int pidfd)
{
  /* Joining takes us to the root of that namespace. */
  if (setns (pidfd, CLONE_NEWNS) < 0)
    _exit (1);
  set_flags ("/", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (promises->root_read_only ? MOUNT_ATTR_RDONLY : 0));
  for (size_t i = 0; i < promises->mount_count; i++) {
    const struct plan_mount *mount = &promises->mounts[i];

    if (is_for_all (mount))
      open_for_all (mount->target);
    set_flags (mount->target, flags_of (&mount->options));
  }
  /* A view of cgroups is never one to write. */
  for (size_t i = 0; i < promises->engines_own->count; i++)
    set_flags (promises->engines_own->items[i],
               MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  _exit (0);
}

void remount_mounts (const struct promises *promises, int pidfd)
{
  pid_t child = fork ();

  if (child == 0)
    remount_inside (promises, pidfd);
  while (child > 0 && waitpid (child, NULL, 0) < 0 && errno == EINTR)
    continue;
}
