/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Restores mount flags that a runtime or an engine drops.
 *
 * crun 1.8.1 drops nosuid and nodev of the root without a user namespace, and of bind mounts with one.
 * Engines have no option for these flags and leave their view of cgroups writable on version 1, and Docker
 * lets mounts propagate from the host. This is corrected in the container's mount namespace while init waits.
 * Init is then asked again: only what it reports afterwards counts.
 */
#include <config.h>

#include "proof-proof.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "mount-remount.h"
#include "posture-proc.h"

/* Whether MOUNT is one whose flags are known to be dropped: any in an engine; of a runtime that we start, the
 * root and binds. Wrong flags of other mounts are a violation, which the judge reports. */
static bool may_drop_flags (const struct promises *promises, const struct proc_mount *mount)
{
  if (!promises->staged || strcmp (mount->point, "/") == 0)
    return true;
  for (size_t i = 0; i < promises->mount_count; i++)
    if (strcmp (promises->mounts[i].target, mount->point) == 0)
      return promises->mounts[i].staged != NULL && !mount->shared;
  return false;
}

/* Under the shim config.json makes the root private, so a shared mount is for the judge to report. */
static bool wants_private (const struct promises *promises, const struct proc_mount *mount)
{
  return mount->shared && (promises->staged || promises->among_others) && may_drop_flags (promises, mount);
}

/* Only the topmost mount on a path can be reached by that path. */
static bool wants_flags (const struct promises *promises, const struct proc_mounts *mounts,
                         const struct proc_mount *mount)
{
  return posture_missing_flags (promises, mount) != 0 && may_drop_flags (promises, mount)
         && proc_mounts_find (mounts, mount->point) == mount;
}

static bool wants_remount (const struct promises *promises, const struct proc_mounts *mounts)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (wants_private (promises, &mounts->items[i]) || wants_flags (promises, mounts, &mounts->items[i]))
      return true;
  return false;
}

/* In an engine recursively: where a path is masked twice, the lower mount cannot be reached by path. For a
 * runtime that we start, only the root is changed. */
static void make_private (const struct promises *promises, const struct proc_mounts *mounts)
{
  unsigned long flags = MS_PRIVATE | (!promises->staged ? MS_REC : 0);

  for (size_t i = 0; i < mounts->count; i++)
    if (wants_private (promises, &mounts->items[i])) {
      if (mount (NULL, "/", NULL, flags, NULL) < 0)
        errno = 0;
      return;
    }
}

struct remounting {
  const struct promises *promises;
  const struct proc_mounts *mounts;
};

/* Runs in the container's mount namespace. Failures are ignored: the judge checks the result. */
static int remount (const void *data)
{
  const struct remounting *what = data;

  make_private (what->promises, what->mounts);
  for (size_t i = 0; i < what->mounts->count; i++) {
    const struct proc_mount *at = &what->mounts->items[i];

    if (wants_flags (what->promises, what->mounts, at))
      (void) mount_add_flags (at->point, posture_missing_flags (what->promises, at));
  }
  return 0;
}

bool proof_remount (const struct promises *promises, const char *mountinfo, int pidfd)
{
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };
  struct remounting what = { promises, &mounts };
  /* Without root, mounting is allowed only as root of the user namespace of the stage or the engine. */
  int namespaces = CLONE_NEWNS | (promises->joins_user_namespace ? CLONE_NEWUSER : 0);

  return proc_mounts_read (mountinfo, &mounts) == 0 && wants_remount (promises, &mounts)
         && mount_inside (pidfd, namespaces, remount, &what) == 0;
}
