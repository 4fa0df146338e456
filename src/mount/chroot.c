/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-chroot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-exit-code.h"
#include "base-file.h"

/* Where this process was before. */
struct place {
  int spaces; /* /proc/self/ns */
  int root;
  int cwd;
  char path[PATH_MAX]; /* of CWD, within ROOT */
};

static void place_clear (struct place *place)
{
  const int fds[] = { place->spaces, place->root, place->cwd };

  for (size_t i = 0; i < ARRAY_LEN (fds); i++)
    if (fds[i] >= 0)
      close (fds[i]);
}

static bool place_find (struct place *ret_place)
{
  const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

  *ret_place =
      (struct place){ open ("/proc/self/ns", flags), open ("/", flags), open (".", flags), { '\0' } };
  return ret_place->spaces >= 0 && ret_place->root >= 0 && ret_place->cwd >= 0
         && getcwd (ret_place->path, sizeof (ret_place->path)) != NULL && ret_place->path[0] == '/';
}

/* Moves to the root of the current mount namespace; setns changes the working directory, too. */
static int go_to_top (const struct place *place)
{
  cleanup_close int space = openat (place->spaces, "mnt", O_RDONLY | O_CLOEXEC);

  return space < 0 || setns (space, CLONE_NEWNS) < 0 ? -errno : 0;
}

/* Exits on failure: outside of the chroot the process must do nothing more, not even write to the journal,
 * which would be the host's. */
static int go_back (const struct place *place)
{
  if (fchdir (place->root) < 0 || chroot (".") < 0) {
    dprintf (STDERR_FILENO, "tyrum-oci: cannot return to the root of this chroot: %s\n", strerror (errno));
    _exit (EXIT_NOT_RUN);
  }
  return fchdir (place->cwd) < 0 ? -errno : 0;
}

static bool are_different (int a, int b)
{
  struct statx x, y;
  const unsigned mask = STATX_INO | STATX_MNT_ID;

  return statx (a, "", AT_EMPTY_PATH, mask, &x) == 0 && statx (b, "", AT_EMPTY_PATH, mask, &y) == 0
         && (x.stx_ino != y.stx_ino || x.stx_mnt_id != y.stx_mnt_id || x.stx_dev_major != y.stx_dev_major
             || x.stx_dev_minor != y.stx_dev_minor);
}

/* In a new mount namespace, with the working directory at the root of the chroot and the root at the top of
 * all mounts: makes the chroot the namespace's root. */
static int become_top (struct error *err)
{
  cleanup_close int tree = -1;

  if (mount (NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
    return error_set_errno (err, errno, "keep mounts from propagating to the host");
  tree = (int) syscall (SYS_open_tree, AT_FDCWD, ".", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (tree < 0 || syscall (SYS_move_mount, tree, "", AT_FDCWD, ".", MOVE_MOUNT_F_EMPTY_PATH) < 0
      || fchdir (tree) < 0)
    return error_set_errno (err, errno, "make the root of this chroot a mount");
  /* pivot_root puts the old root on top of the new one; unmounting it removes the rest of the host's tree. */
  if (syscall (SYS_pivot_root, ".", ".") < 0 || umount2 (".", MNT_DETACH) < 0)
    return error_set_errno (err, errno, "make the root of this chroot the root of its mount namespace");
  return 0;
}

static int find_cwd (const struct place *place, struct error *err)
{
  struct stat was, is;

  if (chdir (place->path) < 0 || fstat (place->cwd, &was) < 0 || stat (".", &is) < 0)
    return error_set_errno (err, errno, "find the working directory '%s' again", place->path);
  if (was.st_dev != is.st_dev || was.st_ino != is.st_ino)
    return error_set (err, -ESTALE, "the working directory '%s' is covered by a mount", place->path);
  return 0;
}

static int leave_for_own (const struct place *place, struct error *err)
{
  int r;

  if (fchdir (place->root) < 0)
    return error_set_errno (err, errno, "go to the root of this chroot");
  /* unshare moves root and working directory to the same directories in the new namespace. */
  if (unshare (CLONE_NEWNS) < 0)
    return error_set_errno (err, errno, "make a private mount namespace");
  r = become_top (err);
  if (r == 0 && (r = go_to_top (place)) < 0)
    error_set_errno (err, -r, "enter the private mount namespace");
  return r < 0 ? r : find_cwd (place, err);
}

int chroot_settle (struct error *err)
{
  cleanup (place_clear) struct place place = { -1, -1, -1, { '\0' } };
  cleanup_close int top = -1;
  int r = 0, back;

  if (!place_find (&place) || go_to_top (&place) < 0)
    return 0;
  top = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (top >= 0 && are_different (top, place.root)) {
    r = leave_for_own (&place, err);
    if (r == 0)
      return 0;
  }
  back = go_back (&place);
  return r < 0 || back == 0 ? r : error_set_errno (err, -back, "return to the working directory");
}
