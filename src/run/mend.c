/* Mending what a runtime forgets.
 *
 * crun 1.8.1 takes nosuid and nodev off the root where there is no user namespace to hold them. The
 * supervisor puts them back in the container's own mount namespace while init waits, and init is asked once
 * more: what counts is what is seen afterwards, not that we tried.
 */
#include <config.h>

#include "run-internal.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posture-proc.h"

#define ROOT_FLAGS (MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | MS_RELATIME)

/* Whether the root's flags are missing, and whether it is read-only. */
static bool wants_mending (const char *text, bool *ret_read_only)
{
  cleanup_proc_mounts struct proc_mounts mounts = { 0 };
  const struct proc_mount *root;

  if (text == NULL || proc_mounts_read (text, &mounts) < 0)
    return false;
  root = proc_mounts_find (&mounts, "/");
  if (root == NULL)
    return false;
  *ret_read_only = proc_option_has (root->options, "ro");
  return !proc_option_has (root->options, "nosuid") || !proc_option_has (root->options, "nodev");
}

bool run_mend_root (struct run *run)
{
  /* A user has the right to mount only as root of the namespace that the stage made. */
  int spaces = CLONE_NEWNS | (run->options->plan->staged_ids ? CLONE_NEWUSER : 0);
  bool read_only = false;
  int status = 0;
  pid_t pid;

  if (!wants_mending (inside_text (&run->inside, QUESTION_FILE, "/proc/self/mountinfo"), &read_only)
      || run->init_pidfd < 0 || run->ops->own_kernel)
    return false;
  pid = fork ();
  if (pid == 0) {
    /* Joining takes us to the root of that namespace, which is the container's. */
    if (setns (run->init_pidfd, spaces) < 0
        || mount (NULL, "/", NULL, ROOT_FLAGS | (read_only ? MS_RDONLY : 0), NULL) < 0)
      _exit (1);
    _exit (0);
  }
  return pid > 0 && waitpid (pid, &status, 0) == pid && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}
