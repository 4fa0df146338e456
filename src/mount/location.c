/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-location-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-file.h"
#include "base-path.h"

#define MOUNTS_MAX ((size_t) 4 * 1024 * 1024)

/* The kernel's limit (MAXSYMLINKS). */
#define LINKS_MAX 40

void location_clear (struct location *location)
{
  free (location->inner);
  free (location->root);
  free (location->outer);
  *location = (struct location){ 0 };
}

int location_read_mounts (struct proc_mounts *ret_mounts, struct error *err)
{
  cleanup_free char *text = NULL;
  int r = file_read (AT_FDCWD, "/proc/self/mountinfo", MOUNTS_MAX, &text, NULL, err);

  if (r == 0 && proc_mounts_read (text, ret_mounts) < 0)
    r = error_set (err, -EIO, "cannot parse '/proc/self/mountinfo'");
  if (r == 0 && proc_mounts_find (ret_mounts, "/") == NULL)
    r = error_set (
        err, -EXDEV,
        "cannot tell which mount a path is on: the root is a plain directory of a chroot, which has no "
        "line in the mount table; make it a mount point (mount --bind DIR DIR), or run this as root");
  return r;
}

/* The table has no parent of MOUNT: it is the root, or its parent is outside of a chroot. */
static bool is_top (const struct proc_mounts *mounts, const struct proc_mount *mount)
{
  for (size_t i = 0; i < mounts->count; i++)
    if (mounts->items[i].id == mount->parent && &mounts->items[i] != mount)
      return false;
  return true;
}

/* The first mount that is entered on the path from IN (NULL: from the root) to PATH. */
static const struct proc_mount *next_mount (const struct proc_mounts *mounts, const struct proc_mount *in,
                                            const char *path)
{
  const struct proc_mount *found = NULL;

  for (size_t i = 0; i < mounts->count; i++) {
    const struct proc_mount *mount = &mounts->items[i];

    if (path_is_within (path, mount->point)
        && (in ? mount->parent == in->id && mount != in : is_top (mounts, mount))
        && (found == NULL || strlen (mount->point) <= strlen (found->point)))
      found = mount;
  }
  return found;
}

/* The mount that PATH is on. Goes from mount to mount, as the kernel does: the longest mount point in the
 * table can be hidden below a later mount. */
static const struct proc_mount *mount_of (const struct proc_mounts *mounts, const char *path)
{
  const struct proc_mount *found = NULL, *next = next_mount (mounts, NULL, path);

  for (size_t steps = 0; next != NULL && steps < mounts->count; steps++) {
    found = next;
    next = next_mount (mounts, found, path);
  }
  return found;
}

static char *join (const char *root, const char *rest)
{
  return str_format ("%s%s%s", strcmp (root, "/") == 0 ? "" : root,
                     rest[0] == '/' || rest[0] == '\0' ? "" : "/",
                     rest[0] == '\0' && strcmp (root, "/") == 0 ? "/" : rest);
}

int location_trace_real (const struct proc_mounts *mounts, const char *real, struct location *ret_location)
{
  const struct proc_mount *mount = mount_of (mounts, real);
  cleanup_location struct location found = { 0 };

  if (mount == NULL)
    return -ENOENT;
  found.device = mount->device;
  found.outer = strdup (real);
  found.root = strdup (mount->root);
  found.inner = join (mount->root, real + (strcmp (mount->point, "/") == 0 ? 0 : strlen (mount->point)));
  if (found.outer == NULL || found.root == NULL || found.inner == NULL)
    return -ENOMEM;
  *ret_location = found;
  found = (struct location){ 0 };
  return 0;
}

int location_trace (const struct proc_mounts *mounts, const char *path, struct location *ret_location)
{
  cleanup_free char *above = strdup (path), *real = NULL, *whole = NULL;

  if (above == NULL)
    return -ENOMEM;
  while ((real = realpath (above, NULL)) == NULL) {
    char *slash = strrchr (above, '/');

    if ((errno != ENOENT && errno != ENOTDIR) || slash == NULL || strcmp (above, "/") == 0)
      return -errno;
    slash[slash == above] = '\0';
  }
  whole = join (real, strcmp (above, "/") == 0 ? path : path + strlen (above));
  return whole ? location_trace_real (mounts, whole, ret_location) : -ENOMEM;
}

char *location_name (const struct location *location, const struct proc_mount *mount)
{
  return join (mount->point, location->inner + (strcmp (mount->root, "/") == 0 ? 0 : strlen (mount->root)));
}

bool location_is_within (const struct location *other, const struct location *whole)
{
  return path_is_within (other->outer, whole->outer)
         || (other->device == whole->device && path_is_within (other->inner, whole->inner));
}

struct walk {
  char *done; /* without links; "" is the root */
  char *rest; /* still to be followed */
  unsigned links;
};

static void walk_clear (struct walk *walk)
{
  free (walk->done);
  free (walk->rest);
}

#define cleanup_walk cleanup (walk_clear)

/* Continues WALK at the target of the link AT, followed by REST. */
static int follow_link (struct walk *walk, const char *at, const char *rest, struct strlist *links)
{
  char target[PATH_MAX];
  ssize_t len = readlink (at, target, sizeof (target));
  char *next;

  if (len < 0 || (size_t) len == sizeof (target))
    return len < 0 ? -errno : -ENAMETOOLONG;
  if (++walk->links > LINKS_MAX)
    return -ELOOP;
  next = str_format ("%.*s/%s", (int) len, target, rest);
  if (next == NULL || strlist_add (links, at) < 0) {
    free (next);
    return -ENOMEM;
  }
  free (walk->rest);
  walk->rest = next;
  if (target[0] == '/')
    walk->done[0] = '\0';
  return 0;
}

static int follow_next (struct walk *walk, struct strlist *links)
{
  size_t skip = strspn (walk->rest, "/"), len = strcspn (walk->rest + skip, "/");
  const char *part = walk->rest + skip;
  cleanup_free char *rest = strdup (part + len), *at = NULL;
  struct stat st;

  if (rest == NULL)
    return -ENOMEM;
  if (len == 2 && memcmp (part, "..", 2) == 0) {
    char *slash = strrchr (walk->done, '/');

    if (slash != NULL)
      *slash = '\0';
  } else if (len > 0 && !(len == 1 && part[0] == '.')) {
    at = str_format ("%s/%.*s", walk->done, (int) len, part);
    if (at == NULL)
      return -ENOMEM;
    if (lstat (at, &st) < 0) {
      if (errno != ENOENT && errno != ENOTDIR)
        return -errno;
    } else if (S_ISLNK (st.st_mode))
      return follow_link (walk, at, rest, links);
    free (walk->done);
    walk->done = take_ptr (at);
  }
  free (walk->rest);
  walk->rest = take_ptr (rest);
  return 0;
}

int location_follow (const char *path, struct strlist *ret_links, char **ret_real)
{
  cleanup_walk struct walk walk = { .done = strdup (""), .rest = strdup (path) };
  cleanup_strlist struct strlist links = { 0 };
  int r = walk.done && walk.rest ? 0 : -ENOMEM;

  while (r == 0 && walk.rest[0] != '\0')
    r = follow_next (&walk, &links);
  if (r == 0 && (*ret_real = strdup (walk.done[0] ? walk.done : "/")) == NULL)
    r = -ENOMEM;
  if (r < 0)
    return r;
  *ret_links = links;
  links = (struct strlist){ 0 };
  return 0;
}
