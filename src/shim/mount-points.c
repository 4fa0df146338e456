/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "shim-mount-points.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "mount-descriptor.h"
#include "restrict-restrict.h"

/* The control that cannot be enforced without the mount on DEST. */
static enum control control_of (const char *dest)
{
  if (path_is_within (dest, "/tmp"))
    return CONTROL_TMP_BOUNDED;
  if (path_is_within (dest, "/proc") || path_is_within (dest, "/sys"))
    return CONTROL_PATHS_MASKED;
  if (path_is_within (dest, "/dev"))
    return CONTROL_DEVICES_MINIMAL;
  /* Init proves the others. */
  return path_is_within (dest, "/run/tyrum") ? CONTROL_ISOLATION_TYPE : CONTROL_WORKSPACE_BOUNDED;
}

static int make_point (int root, const char *dest, bool directory, struct error *err)
{
  cleanup_close int fd = mount_make_point (root, dest, directory, false);

  if (fd == -ELOOP)
    return error_set (err, -ELOOP,
                      "%s: '%s' is a link in this image, or leads through one, and nothing can be mounted "
                      "there; use an image with a directory",
                      control_info (control_of (dest))->name, dest);
  return fd < 0 ? error_set_errno (err, -fd, "make the mount point '%s'", dest) : 0;
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

int points_make_cwd (const char *root, const struct json_node *config, struct error *err)
{
  const struct json_node *cwd = json_get (json_get (config, "process"), "cwd");
  cleanup_close int fd = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC), made = -1;

  if (fd < 0)
    return error_set_errno (err, errno, "open the root '%s'", root);
  if (cwd == NULL || cwd->type != JSON_STRING || is_on_other (json_get (config, "mounts"), cwd->text))
    return 0;
  made = mount_make_point (fd, cwd->text, true, true);
  return made < 0 ? error_set_errno (err, -made, "make the working directory '%s' in the image", cwd->text)
                  : 0;
}

int points_make (const char *root, const struct json_node *config, struct error *err)
{
  const struct json_node *mounts = json_get (config, "mounts");
  cleanup_close int fd = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int r = 0;

  if (fd < 0)
    return error_set_errno (err, errno, "open the root '%s'", root);
  for (size_t i = 0; r == 0 && mounts != NULL && i < mounts->count; i++) {
    const struct json_node *dest = json_get (mounts->items[i], "destination");

    if (!is_on_other (mounts, dest->text))
      r = make_point (fd, dest->text, is_directory (mounts->items[i]), err);
  }
  return r;
}
