/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The root of a run, on the stage. */
#include <config.h>

#include "mount-stage-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "base-str.h"

static int make_file (int root, const struct plan_entry *entry)
{
  cleanup_close int fd =
      openat (root, entry->path + 1, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry->mode);
  size_t len = strlen (entry->text);

  return fd < 0 || write (fd, entry->text, len) != (ssize_t) len ? -errno : 0;
}

static int make_entry (int root, const struct plan_entry *entry)
{
  const char *path = entry->path + 1;

  switch (entry->kind) {
  case ENTRY_DIRECTORY:
    return mkdirat (root, path, entry->mode) < 0 || fchmodat (root, path, entry->mode, 0) < 0 ? -errno : 0;
  case ENTRY_SYMLINK: return symlinkat (entry->text, root, path) < 0 ? -errno : 0;
  case ENTRY_FILE: return make_file (root, entry);
  }
  return -EINVAL;
}

/* The directory is private and empty, and parents come before children, so following paths is safe. */
static int make_entries (const struct plan *plan, int root, struct error *err)
{
  for (size_t i = 0; i < plan->entry_count; i++) {
    const struct plan_entry *entry = &plan->entries[i];
    int r = make_entry (root, entry);

    if (r < 0)
      return error_set_errno (err, -r, "make '%s' of the root", entry->path);
  }
  return 0;
}

/* runc gives a tmpfs the mode of the directory below it, whatever its options are. Best effort: in a root
 * whose owners are not mapped, chmod fails. */
static void open_to_all (int fd)
{
  char path[32];

  snprintf (path, sizeof (path), "/proc/self/fd/%d", fd);
  if (chmod (path, 01777) < 0)
    errno = 0;
}

/* Makes missing directories of TARGET in the upper layer; a link in TARGET refuses the root. */
static int make_mount_point (int root, const char *target, bool directory, struct error *err)
{
  cleanup_close int fd = mount_make_point (root, target, directory, false);

  if (fd == -ELOOP)
    return error_set (err, -ELOOP,
                      "the root has a symbolic link on the way to '%s', where something is to be mounted",
                      target);
  if (fd < 0)
    return error_set_errno (err, -fd, "make the mount point '%s'", target);
  if (strcmp (target, "/tmp") == 0)
    open_to_all (fd);
  return 0;
}

/* A mount point below another new file system is not part of the root. */
static bool is_below_another (const struct launch *launch, size_t number)
{
  const char *target = launch->mounts[number].target;

  for (size_t i = 0; i < number; i++)
    if (strcmp (launch->mounts[i].type, "bind") != 0 && strcmp (launch->mounts[i].target, target) != 0
        && path_is_within (target, launch->mounts[i].target))
      return true;
  return false;
}

static int make_mount_points (const struct launch *launch, int root, struct error *err)
{
  for (size_t i = 0; i < launch->mount_count; i++) {
    const struct plan_mount *mount = &launch->mounts[i];
    bool directory = mount->options.count == 0 || strcmp (mount->options.items[0], "bind") != 0;
    int r = 0;

    if (!is_below_another (launch, i))
      r = make_mount_point (root, mount->target, directory, err);
    if (r < 0)
      return r;
  }
  return 0;
}

/* ',' ':' and '\\' have a meaning in overlay options, so the layers are given relative to the working
 * directory, without the directory's own path. */
static int mount_layer (const struct launch *launch, const char *directory, const char *root,
                        struct error *err)
{
  cleanup_close int back = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int r;

  if (chdir (directory) < 0 || mkdir ("upper", 0755) < 0 || mkdir ("work", 0755) < 0)
    return error_set_errno (err, errno, "make the layer of the root");
  r = mount_filesystem (launch, "overlay", root, "lowerdir=lower,upperdir=upper,workdir=work", err);
  /* The old working directory may not be searchable, and is not needed. */
  if (back < 0 || fchdir (back) < 0)
    errno = 0;
  return r;
}

/* An image's tree is ours; a directory must be the one that was planned. */
static int open_root (const struct launch *launch, struct error *err)
{
  struct stat st;

  return launch->root == ROOT_FROM_DIRECTORY
             ? mount_open_known (launch->root_path, launch->root_device, launch->root_inode, &st, err)
             : mount_open_source (launch->root_path, err);
}

int stage_root (const struct plan *plan, const struct launch *launch, const char *directory,
                struct error *err)
{
  cleanup_free char *root = str_format ("%s/rootfs", directory);
  cleanup_free char *lower = str_format ("%s/lower", directory);
  cleanup_close int source = -1, fd = -1;
  int r = 0;

  if (root == NULL || lower == NULL)
    return error_oom (err);
  if (mkdir (root, 0755) < 0 || mkdir (lower, 0755) < 0)
    return error_set_errno (err, errno, "make the directory of the root");
  if (launch->root != ROOT_FROM_HOST) {
    source = open_root (launch, err);
    r = source < 0 ? source : mount_descriptor (source, lower, MOUNT_ATTR_RDONLY, -1, err);
    if (r == 0)
      r = mount_layer (launch, directory, root, err);
  }
  if (r < 0)
    return r;
  fd = open (root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return error_set_errno (err, errno, "open the root");
  if (launch->root == ROOT_FROM_HOST)
    r = make_entries (plan, fd, err);
  else
    r = make_mount_points (launch, fd, err);
  return r < 0 ? r : make_mount_point (fd, STAGE_INIT_TARGET, false, err);
}
