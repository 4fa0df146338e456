/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mount points, private mount namespaces, and mounting of opened files: for the stage of a run and of an
 * engine's container. */
#include <config.h>

#include "mount-descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"

int mount_keep_private (struct error *err)
{
  if (unshare (CLONE_NEWNS) < 0)
    return error_set_errno (err, errno, "make a private mount namespace");
  /* No propagation from the host either: otherwise later mounts on the host would appear in the container's
   * root. */
  if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
    return error_set_errno (err, errno, "make mounts private");
  return 0;
}

int mount_open_known (const char *path, uint64_t device, uint64_t inode, struct stat *ret_st,
                      struct error *err)
{
  cleanup_close int fd = mount_open_source (path, err);

  if (fd < 0)
    return fd;
  if (fstat (fd, ret_st) < 0)
    return error_set_errno (err, errno, "look at '%s'", path);
  if (ret_st->st_ino != inode || ret_st->st_dev != device)
    return error_set (err, -ESTALE, "'%s' is not what it was when the run was planned", path);
  return take_fd (&fd);
}

static int make_target (const char *path, bool directory, struct error *err)
{
  cleanup_close int fd = -1;

  if (directory)
    return mkdir (path, 0755) < 0 ? error_set_errno (err, errno, "make '%s'", path) : 0;
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  return fd < 0 ? error_set_errno (err, errno, "make '%s'", path) : 0;
}

int mount_place (int fd, const char *target, uint64_t more, int idmap_fd, struct error *err)
{
  struct stat st;
  int r = fstat (fd, &st) < 0 ? error_set_errno (err, errno, "look at what goes to '%s'", target)
                              : make_target (target, S_ISDIR (st.st_mode), err);

  return r < 0 ? r : mount_descriptor (fd, target, more, idmap_fd, err);
}

int mount_place_own (const char *path, const char *target, struct error *err)
{
  /* Opened here and not by the supervisor: open_tree only accepts mounts of its own namespace. */
  cleanup_close int fd = open (path, O_PATH | O_CLOEXEC);

  return fd < 0 ? error_set_errno (err, errno, "open '%s'", path)
                : mount_place (fd, target, MOUNT_ATTR_RDONLY, -1, err);
}

static int open_inside (int root, const char *path, bool follow)
{
  struct open_how how = { .flags = O_PATH | O_CLOEXEC,
                          .resolve =
                              RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | (follow ? 0 : RESOLVE_NO_SYMLINKS) };
  int fd = (int) syscall (SYS_openat2, root, path, &how, sizeof (how));

  if (fd >= 0)
    return fd;
  return errno == ENOSYS && !follow ? mount_open_beneath (root, path + strspn (path, "/")) : -errno;
}

/* Opens the deepest existing directory of PATH; *RET_REST is the rest, from the first missing component
 * on. */
static int open_deepest (int root, const char *path, bool follow, const char **ret_rest)
{
  size_t len = strlen (path);

  while (len > 0) {
    cleanup_free char *head = NULL;
    int fd;

    while (len > 0 && path[len - 1] != '/')
      len--;
    if (len == 0)
      return -EINVAL; /* not an absolute path */
    head = strndup (path, len > 1 ? len - 1 : 1);
    if (head == NULL)
      return -ENOMEM;
    fd = open_inside (root, head, follow);
    if (fd != -ENOENT) {
      *ret_rest = path + len;
      return fd;
    }
    len--;
  }
  return -ENOENT;
}

/* Makes the directories of REST below *FD and moves *FD along; the last component is a file unless
 * DIRECTORY. */
static int make_below (const char *rest, bool directory, int *fd)
{
  while (*rest != '\0') {
    size_t len = strcspn (rest, "/");
    cleanup_free char *name = strndup (rest, len);
    bool last = rest[len] == '\0';
    int next;

    if (name == NULL)
      return -ENOMEM;
    if (!last || directory) {
      if (mkdirat (*fd, name, 0755) < 0 && errno != EEXIST)
        return -errno;
      next = openat (*fd, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
    } else
      next = openat (*fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (next < 0)
      return -errno;
    close (*fd);
    *fd = next;
    rest += len + !last;
  }
  return 0;
}

int mount_make_point (int root, const char *path, bool directory, bool follow)
{
  cleanup_close int fd = open_inside (root, path, follow);
  const char *rest = NULL;
  int r;

  if (fd != -ENOENT)
    return take_fd (&fd);
  fd = open_deepest (root, path, follow, &rest);
  r = fd < 0 ? fd : make_below (rest, directory, &fd);
  return r < 0 ? r : take_fd (&fd);
}
