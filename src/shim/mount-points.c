/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-mount-points.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-path.h"
#include "base-str.h"
#include "mount-descriptor.h"
#include "restrict-restrict.h"

struct walk {
  const char *root;
  int root_fd;
  struct error *err;
};

/* Where FD really is, from the container's root. */
static char *inner_path (const struct walk *walk, int fd)
{
  char link[64], path[LIMIT_PATH_BYTES + 1];
  size_t root = strlen (walk->root);
  ssize_t n;

  snprintf (link, sizeof (link), "/proc/self/fd/%d", fd);
  n = readlink (link, path, sizeof (path) - 1);
  if (n < 0)
    return NULL;
  path[n] = '\0';
  if (!str_has_prefix (path, walk->root) || (path[root] != '/' && path[root] != '\0'))
    return NULL;
  return strdup (path[root] == '\0' ? "/" : path + root);
}

static bool is_kernels (const char *dest)
{
  return path_is_within (dest, "/dev") || path_is_within (dest, "/proc") || path_is_within (dest, "/sys");
}

/* Finds DEST or makes it; *RET_PATH is where it is. */
static int make_point (const struct walk *walk, const char *dest, bool directory, char **ret_path)
{
  cleanup_close int fd = mount_make_point (walk->root_fd, dest, directory, !is_kernels (dest));

  if (fd == -ELOOP)
    return error_set (walk->err, -ELOOP,
                      "devices.minimal: '%s' is a link in this image, and nothing can be mounted there",
                      dest);
  if (fd < 0)
    return error_set_errno (walk->err, -fd, "make the mount point '%s'", dest);
  *ret_path = inner_path (walk, fd);
  if (*ret_path == NULL)
    return error_set (walk->err, -EXDEV, "the mount point '%s' leads out of the container's root", dest);
  return 0;
}

static bool is_directory (const struct json_node *mount)
{
  const struct json_node *source = json_get (mount, "source");
  struct stat st;

  return !spec_mount_is_bind (mount) || stat (source->text, &st) < 0 || S_ISDIR (st.st_mode);
}

/* What lies on another mount is made there, by the runtime, which has just made that mount. */
static bool is_on_other (const struct json_node *mounts, const char *dest)
{
  for (size_t i = 0; i < mounts->count; i++) {
    const struct json_node *other = json_get (mounts->items[i], "destination");

    if (other != NULL && strcmp (other->text, dest) != 0 && path_is_normal (other->text)
        && path_is_within (dest, other->text))
      return true;
  }
  return false;
}

int points_make (const char *root, struct json_node *config, struct error *err)
{
  struct json_node *mounts = json_edit (config, "mounts");
  cleanup_close int fd = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct walk walk = { .root = root, .root_fd = fd, .err = err };
  int r = 0;

  if (fd < 0)
    return error_set_errno (err, errno, "open the root '%s'", root);
  for (size_t i = 0; r == 0 && mounts != NULL && i < mounts->count; i++) {
    const struct json_node *dest = json_get (mounts->items[i], "destination");
    cleanup_free char *path = NULL;

    if (is_on_other (mounts, dest->text))
      continue;
    r = make_point (&walk, dest->text, is_directory (mounts->items[i]), &path);
    if (r == 0 && json_set (mounts->items[i], "destination", json_new_text (JSON_STRING, path)) < 0)
      r = error_oom (err);
  }
  return r;
}
