/* Moving a workspace into a sandbox that stands.
 *
 * The tree is taken by descriptor in the host's namespace, as on the stage: opened without following a link,
 * compared with what was planned, mapped to its owner's ids. In the container's it takes the place of the
 * empty directory, and what is to be hidden in it is covered as a runtime does it: a file by the null device,
 * a directory by an empty one. Only init is there, and it waits; but others may use the workspace at the same
 * time, so what is covered is what was opened.
 */
#include <config.h>

#include "supervisor-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "mount-descriptor.h"
#include "mount-remount.h"
#include "mount-stage.h"
#include "plan-prewarmed.h"

/* An empty directory that nobody can write to. */
static int empty_directory (void)
{
  cleanup_close int fs = (int) syscall (SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

  if (fs < 0 || syscall (SYS_fsconfig, fs, FSCONFIG_SET_STRING, "source", "tmpfs", 0) < 0
      || syscall (SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", "0k", 0) < 0
      || syscall (SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
    return -1;
  return (int) syscall (SYS_fsmount, fs, FSMOUNT_CLOEXEC,
                        MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

static int null_device (void)
{
  return (int) syscall (SYS_open_tree, AT_FDCWD, "/dev/null", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

/* Covers PATH, below DIRECTORY, if it is there. */
static bool cover (int directory, const char *path)
{
  cleanup_close int fd = mount_open_beneath (directory, path), over = -1;
  struct stat st;

  if (fd < 0)
    return fd == -ENOENT || fd == -ENOTDIR;
  if (fstat (fd, &st) < 0)
    return false;
  over = S_ISDIR (st.st_mode) ? empty_directory () : null_device ();
  return over >= 0
         && syscall (SYS_move_mount, over, "", fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)
                == 0;
}

static bool cover_hidden (const struct launch *launch)
{
  cleanup_close int directory = open (PLAN_WORKSPACE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  for (size_t i = 0; i < launch->masked.count; i++)
    if (str_has_prefix (launch->masked.items[i], PLAN_WORKSPACE "/")
        && (directory < 0 || !cover (directory, launch->masked.items[i] + strlen (PLAN_WORKSPACE "/"))))
      return false;
  return true;
}

struct moving {
  const struct run *run;
  int tree; /* -1: there is no workspace */
};

/* The empty directory goes, so that there is one mount in that place, and it is the one that was planned. */
static bool put_on_workspace (const struct moving *moving)
{
  return umount2 (PLAN_WORKSPACE, MNT_DETACH | UMOUNT_NOFOLLOW) == 0
         && syscall (SYS_move_mount, moving->tree, "", AT_FDCWD, PLAN_WORKSPACE, MOVE_MOUNT_F_EMPTY_PATH) == 0
         && cover_hidden (&moving->run->launch);
}

/* In the container. The directory in which the command is to start must be there: init could only die of it.
 */
static int put_in (const void *data)
{
  const struct moving *moving = data;

  return (moving->tree < 0 || put_on_workspace (moving)) && chdir (moving->run->launch.cwd) == 0 ? 0 : 1;
}

int run_move_workspace_in (const struct run *run, const struct id_view *view)
{
  const struct plan_mount *workspace = launch_mount_at (&run->launch, PLAN_WORKSPACE);
  struct moving moving = { run, -1 };
  int r;

  if (workspace != NULL) {
    moving.tree = stage_take_source (run->options->plan, &run->launch, workspace, view, run->err);
    if (moving.tree < 0)
      return moving.tree;
  }
  r = mount_inside (run->init_pidfd, CLONE_NEWNS, put_in, &moving);
  close_p (&moving.tree);
  return r == 0 ? 0 : error_set (run->err, -EIO, "move the workspace into the sandbox");
}
