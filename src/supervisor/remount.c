/* Mending what a runtime or an engine forgets.
 *
 * crun 1.8.1 takes nosuid and nodev off the root where there is no user namespace to hold them, and off bind
 * mounts where there is one; engines have no word for the flags of either, leave their view of cgroups
 * writable on version 1, and Docker lets the host's mounts come in. The supervisor puts that right in the
 * container's own mount namespace while init waits, and init is asked once more: what counts is what is seen
 * afterwards, not that we tried.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posture-posture.h"
#include "posture-proc.h"

/* What a mount has already must be said again, or it goes. */
static unsigned long flags_of (const struct proc_mount *mount)
{
  static const struct {
    const char *name;
    unsigned long flag;
  } known[] = { { "ro", MS_RDONLY },        { "nosuid", MS_NOSUID },   { "nodev", MS_NODEV },
                { "noexec", MS_NOEXEC },    { "noatime", MS_NOATIME }, { "nodiratime", MS_NODIRATIME },
                { "relatime", MS_RELATIME } };
  unsigned long flags = 0;

  for (size_t i = 0; i < ARRAY_LEN (known); i++)
    if (proc_option_has (mount->options, known[i].name))
      flags |= known[i].flag;
  /* A mount without a word on it updates every time. */
  return flags & (MS_NOATIME | MS_RELATIME) ? flags : flags | MS_STRICTATIME;
}

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

static bool wants_private (const struct promises *promises, const struct proc_mount *mount)
{
  return mount->shared && is_forgetful (promises, mount);
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

/* In a child, in the container's mount namespace: joining takes us to its root. */
static void __attribute__ ((noreturn)) mend (const struct run *run, const struct proc_mounts *mounts)
{
  const struct promises promises = promises_of_plan (run->options->plan);

  /* A user has the right to mount only as root of the namespace that the stage, or the user's engine, made.
   */
  if (setns (run->init_pidfd, CLONE_NEWNS | (promises.joins_user_namespace ? CLONE_NEWUSER : 0)) < 0)
    _exit (1);
  make_private (&promises, mounts);
  for (size_t i = 0; i < mounts->count; i++) {
    const struct proc_mount *at = &mounts->items[i];
    unsigned long flags = flags_of (at) | posture_missing_flags (&promises, at);

    /* One that cannot be mended is seen by the judge. */
    if (wants_flags (&promises, mounts, at)
        && mount (NULL, at->point, NULL, MS_REMOUNT | MS_BIND | flags, NULL) < 0)
      errno = 0;
  }
  _exit (0);
}

bool run_remount (struct run *run)
{
  const char *text = inside_text (&run->inside, QUESTION_FILE, "/proc/self/mountinfo");
  const struct promises promises = promises_of_plan (run->options->plan);
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };
  int status = 0;
  pid_t pid;

  if (run->init_pidfd < 0 || run->own_kernel || text == NULL || proc_mounts_read (text, &mounts) < 0)
    return false;
  if (!wants_remount (&promises, &mounts))
    return false;
  pid = fork ();
  if (pid == 0)
    mend (run, &mounts);
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}
