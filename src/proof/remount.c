/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags that a runtime or an engine forgets.
 *
 * crun 1.8.1 takes nosuid and nodev off the root where there is no user namespace to hold them, and off bind
 * mounts where there is one; engines have no word for the flags of either, leave their view of cgroups
 * writable on version 1, and Docker lets the host's mounts come in. That is put right in the container's own
 * mount namespace while init waits, and init is asked once more: what counts is what is seen afterwards, not
 * that we tried.
 */
#include <config.h>

#include "proof-proof.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>

#include "mount-remount.h"
#include "posture-proc.h"

/* A runtime that we start ourselves forgets flags of the root and of binds. Its own file systems it makes as
 * it is told, or it lies, and that is for the judge. */
static bool is_forgetful (const struct promises *promises, const struct proc_mount *mount)
{
  if (!promises->staged || strcmp (mount->point, "/") == 0)
    return true;
  for (size_t i = 0; i < promises->mount_count; i++)
    if (strcmp (promises->mounts[i].target, mount->point) == 0)
      return promises->mounts[i].staged != NULL && !mount->shared;
  return false;
}

/* Where the shim is the runtime, the root is private by the specification, and what is not is for the
 * judge. */
static bool wants_private (const struct promises *promises, const struct proc_mount *mount)
{
  return mount->shared && (promises->staged || promises->among_others) && is_forgetful (promises, mount);
}

/* Only the topmost mount on a place can be reached by its name. */
static bool wants_flags (const struct promises *promises, const struct proc_mounts *mounts,
                         const struct proc_mount *mount)
{
  return posture_missing_flags (promises, mount) != 0 && is_forgetful (promises, mount)
         && proc_mounts_find (mounts, mount->point) == mount;
}

static bool wants_remount (const struct promises *promises, const struct proc_mounts *mounts)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (wants_private (promises, &mounts->items[i]) || wants_flags (promises, mounts, &mounts->items[i]))
      return true;
  return false;
}

/* Behind an engine recursively: where a path is masked twice, the lower mount has no name. Of what a runtime
 * makes that we start ourselves only the root is mended. */
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

/* In the container's mount namespace. What cannot be done is seen by the judge. */
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
  /* A user has the right to mount only as root of the namespace that the stage, or the user's engine, made.
   */
  int namespaces = CLONE_NEWNS | (promises->joins_user_namespace ? CLONE_NEWUSER : 0);

  return proc_mounts_read (mountinfo, &mounts) == 0 && wants_remount (promises, &mounts)
         && mount_inside (pidfd, namespaces, remount, &what) == 0;
}
