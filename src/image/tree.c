/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-tree-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-limits.h"
#include "base-path.h"
#include "image-name-internal.h"

/* The tree is some directories deep in the cache. */
#define DEPTH_MAX (LIMIT_IMAGE_DEPTH + 8)

#define DIRECTORY_FLAGS (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void closedir_p (DIR **dir)
{
  if (*dir != NULL)
    closedir (*dir);
}

/* Opens the directory PATH one component at a time, and makes the missing ones. */
static int make_directories (struct image_tree *tree, const char *path, int *ret_directory)
{
  cleanup_close int at = openat (tree->root, ".", O_PATH | DIRECTORY_FLAGS);
  char part[IMAGE_NAME_SIZE];
  const char *start = path;

  while (at >= 0 && *start != '\0') {
    size_t len = strcspn (start, "/"), end = (size_t) (start - path) + len;
    const char *name = part + (start - path);
    int next;

    memcpy (part, path, end);
    part[end] = '\0';
    if (mkdirat (at, name, 0700) == 0) {
      if (image_directories_implied (&tree->directories, part) < 0)
        return -ENOMEM;
    } else if (errno != EEXIST)
      return -errno;
    next = openat (at, name, O_PATH | DIRECTORY_FLAGS);
    if (next < 0)
      return -errno;
    close_p (&at);
    at = next;
    start += len + (start[len] == '/');
  }
  if (at < 0)
    return -errno;
  *ret_directory = take_fd (&at);
  return 0;
}

int image_tree_parent (struct image_tree *tree, const char *path, bool make, int *ret_directory,
                       const char **ret_name)
{
  const char *slash = strrchr (path, '/');
  char parent[IMAGE_NAME_SIZE] = "";
  int fd;

  if (slash != NULL)
    memcpy (parent, path, (size_t) (slash - path));
  fd = image_beneath_open (tree->root, parent, O_PATH | O_DIRECTORY, tree->walk);
  if (fd == -ENOENT && make) {
    int r = make_directories (tree, parent, &fd);

    if (r < 0)
      return r;
  }
  if (fd < 0)
    return fd;
  *ret_directory = fd;
  *ret_name = slash ? slash + 1 : path;
  return 0;
}

/* Returns -1 with errno, like open. */
static int open_unmounted (int directory, const char *name)
{
  int fd = file_open_unmounted (directory, name);

  if (fd < 0)
    errno = -fd;
  return fd < 0 ? -1 : fd;
}

/* A finished directory may have any mode, but we own it and may change that. */
static int open_to_remove (int directory, const char *name)
{
  int fd = open_unmounted (directory, name);

  if (fd < 0 && errno == EACCES && fchmodat (directory, name, 0700, 0) == 0)
    fd = open_unmounted (directory, name);
  if (fd >= 0 && geteuid () != 0 && fchmod (fd, 0700) < 0) {
    close_p (&fd);
    return -1;
  }
  return fd;
}

/* Takes over FD. */
static int open_list (int fd, DIR **ret_dir)
{
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);

  if (dir == NULL) {
    int r = -errno;

    close_p (&fd);
    return r;
  }
  *ret_dir = dir;
  return 0;
}

/* 1 and the next name in DIR that is not "." or "..", 0 at the end, or a negative errno. */
static int next_name (DIR *dir, const char **ret_name)
{
  for (;;) {
    const struct dirent *entry;

    errno = 0;
    entry = readdir (dir);
    if (entry == NULL)
      return -errno;
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0) {
      *ret_name = entry->d_name;
      return 1;
    }
  }
}

static int remove_at (int directory, const char *name, unsigned depth)
{
  cleanup (closedir_p) DIR *dir = NULL;
  const char *inner = NULL;
  int r;

  if (unlinkat (directory, name, 0) == 0 || errno == ENOENT)
    return 0;
  /* unlink of a directory: POSIX has EPERM, Linux EISDIR. */
  if (errno != EISDIR && errno != EPERM)
    return -errno;
  if (depth > DEPTH_MAX)
    return -ELOOP;
  r = open_list (open_to_remove (directory, name), &dir);
  if (r < 0)
    return r;
  while ((r = next_name (dir, &inner)) > 0) {
    r = remove_at (dirfd (dir), inner, depth + 1);
    if (r < 0)
      return r;
  }
  if (r == 0 && unlinkat (directory, name, AT_REMOVEDIR) < 0)
    r = -errno;
  return r;
}

int image_remove_all (int directory, const char *name)
{
  return remove_at (directory, name, 0);
}

int image_tree_remove (struct image_tree *tree, int directory, const char *name, const char *path)
{
  int r = image_remove_all (directory, name);

  return r < 0 ? r : image_directories_removed (&tree->directories, path);
}

struct prune {
  struct image_tree *tree;
  image_tree_keep *keep;
  void *data;
  char path[IMAGE_NAME_SIZE + NAME_MAX + 1]; /* of the current directory */
};

static int prune_directory (struct prune *prune, DIR *dir, unsigned depth);

static int prune_name (struct prune *prune, int directory, const char *name, unsigned depth)
{
  cleanup (closedir_p) DIR *dir = NULL;
  struct stat st;
  int r;

  if (!prune->keep (prune->data, prune->path))
    return image_tree_remove (prune->tree, directory, name, prune->path);
  if (fstatat (directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return -errno;
  if (!S_ISDIR (st.st_mode))
    return 0;
  if (depth > DEPTH_MAX)
    return -ELOOP;
  r = open_list (openat (directory, name, O_RDONLY | DIRECTORY_FLAGS), &dir);
  return r < 0 ? r : prune_directory (prune, dir, depth + 1);
}

static int prune_directory (struct prune *prune, DIR *dir, unsigned depth)
{
  size_t len = strlen (prune->path);
  const char *name = NULL;
  int r;

  while ((r = next_name (dir, &name)) > 0) {
    /* Cannot happen: names in the tree come from normal names, which fit. */
    if (snprintf (prune->path + len, sizeof (prune->path) - len, "%s%s", len > 0 ? "/" : "", name)
        >= (int) (sizeof (prune->path) - len))
      return -ENAMETOOLONG;
    r = prune_name (prune, dirfd (dir), name, depth);
    prune->path[len] = '\0';
    if (r < 0)
      return r;
  }
  return r;
}

int image_tree_prune (struct image_tree *tree, const char *path, image_tree_keep *keep, void *data)
{
  struct prune prune = { .tree = tree, .keep = keep, .data = data };
  cleanup (closedir_p) DIR *dir = NULL;
  int fd = image_beneath_open (tree->root, path, O_RDONLY | O_DIRECTORY, tree->walk);
  int r;

  if (fd < 0)
    return fd == -ENOENT ? 0 : fd;
  memcpy (prune.path, path, strlen (path) + 1);
  r = open_list (fd, &dir);
  return r < 0 ? r : prune_directory (&prune, dir, 0);
}

static int open_by_kernel (int root, const char *path, int flags)
{
  const struct open_how how = {
    .flags = (unsigned) flags,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  long fd = syscall (SYS_openat2, root, path, &how, sizeof (how));

  return fd < 0 ? -errno : (int) fd;
}

static int open_by_walk (int root, const char *path, int flags)
{
  cleanup_close int at = -1;

  for (;;) {
    size_t len = strcspn (path, "/");
    char name[NAME_MAX + 1];
    int next;

    if (len > NAME_MAX)
      return -ENAMETOOLONG;
    memcpy (name, path, len);
    name[len] = '\0';
    if (path[len] == '\0') {
      next = openat (at < 0 ? root : at, name, flags | O_NOFOLLOW);
      return next < 0 ? -errno : next;
    }
    next = openat (at < 0 ? root : at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0)
      return -errno;
    close_p (&at);
    at = next;
    path += len + 1;
  }
}

int image_beneath_open (int root, const char *path, int flags, bool walk)
{
  int fd = -ENOSYS;

  flags |= O_CLOEXEC;
  if (path[0] == '\0')
    path = ".";
  else if (!path_is_beneath (path))
    return -EXDEV;
  if (!walk)
    fd = open_by_kernel (root, path, flags);
  /* Seccomp filters that do not list openat2 answer ENOSYS or EPERM. If EPERM came from the file, the walk
   * fails with it again. */
  if (fd == -ENOSYS || fd == -EPERM)
    fd = open_by_walk (root, path, flags);
  return fd;
}
