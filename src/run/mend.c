/* Mending what a runtime or an engine forgets.
 *
 * crun 1.8.1 takes nosuid and nodev off the root where there is no user namespace to hold them, and off bind
 * mounts where there is one; engines have no word for the flags of either, and Docker lets the host's mounts
 * come in. The supervisor puts that right in the
 * container's own mount namespace while init waits, and init is asked once more: what counts is what is seen
 * afterwards, not that we tried.
 */
#include <config.h>

#include "run-internal.h"

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

static int mend_one (const char *point, unsigned long flags)
{
  return mount (NULL, point, NULL, MS_PRIVATE, NULL) < 0
                 || mount (NULL, point, NULL, MS_REMOUNT | MS_BIND | flags, NULL) < 0
             ? -errno
             : 0;
}

/* A runtime that we start ourselves forgets flags of the root and of binds. Its own file systems it makes as
 * it is told, or it lies, and that is for the judge. */
static bool is_forgetful (const struct plan *plan, const struct proc_mount *mount)
{
  if (plan->staged_root == NULL || strcmp (mount->point, "/") == 0)
    return true;
  for (size_t i = 0; i < plan->mount_count; i++)
    if (strcmp (plan->mounts[i].target, mount->point) == 0)
      return strcmp (plan->mounts[i].type, "bind") == 0 && !mount->shared;
  return false;
}

/* Only the topmost mount on a place can be reached by its name. */
static bool wants_mending (const struct plan *plan, const struct proc_mounts *mounts,
                           const struct proc_mount *mount)
{
  return (posture_missing_flags (plan, mount) != 0 || mount->shared) && is_forgetful (plan, mount)
         && proc_mounts_find (mounts, mount->point) == mount;
}

/* In a child, in the container's mount namespace: joining takes us to its root. */
static void __attribute__ ((noreturn)) mend (const struct run *run, const struct proc_mounts *mounts)
{
  const struct plan *plan = run->options->plan;

  /* A user has the right to mount only as root of the namespace that the stage, or the user's engine, made.
   */
  if (setns (run->init_pidfd, CLONE_NEWNS | (plan->staged_ids || plan->engines_ids ? CLONE_NEWUSER : 0)) < 0)
    _exit (1);
  for (size_t i = 0; i < mounts->count; i++) {
    const struct proc_mount *mount = &mounts->items[i];

    /* One that cannot be mended is seen by the judge. */
    if (wants_mending (plan, mounts, mount)
        && mend_one (mount->point, flags_of (mount) | posture_missing_flags (plan, mount)) < 0)
      errno = 0;
  }
  _exit (0);
}

bool run_mend_mounts (struct run *run)
{
  const char *text = inside_text (&run->inside, QUESTION_FILE, "/proc/self/mountinfo");
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };
  bool wanted = false;
  int status = 0;
  pid_t pid;

  if (run->init_pidfd < 0 || run->own_kernel || text == NULL || proc_mounts_read (text, &mounts) < 0)
    return false;
  for (size_t i = 0; i < mounts.count; i++)
    wanted = wanted || wants_mending (run->options->plan, &mounts, &mounts.items[i]);
  if (!wanted)
    return false;
  pid = fork ();
  if (pid == 0)
    mend (run, &mounts);
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}
