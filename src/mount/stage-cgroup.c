/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command sees of cgroups, on the stage.
 *
 * It gets the run's own group, read-only, and nothing above or beside it. The group is bound by descriptor,
 * and compared by device and inode with the one that the supervisor made and keeps open. Version 2 has one
 * directory for it. Version 1 has one for each hierarchy; those with a limit are mounted in a directory of
 * the stage, under the names that programs expect. The container has a cgroup namespace with its group as the
 * root, so inside each mount has the root "/", as in /proc/self/cgroup.
 */
#include <config.h>

#include "mount-stage-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "cgroup-internal.h"
#include "mount-stage.h"
#include "posture-proc.h"

/* Opens the run's group in the hierarchy of DIRECTORY again: open_tree only accepts mounts of its own
 * namespace. */
static int open_group (const struct launch *launch, const struct cgroup_directory *directory,
                       struct error *err)
{
  cleanup_free char *path = directory->mounted
                                ? str_format (CGROUP_ROOT "/%s%s", directory->mounted, launch->cgroup_path)
                                : str_format (CGROUP_ROOT "%s", launch->cgroup_path);
  cleanup_close int fd = path ? open (path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  struct stat st, held;

  if (path == NULL)
    return error_oom (err);
  if (fd < 0 || fstat (fd, &st) < 0 || fstat (directory->fd, &held) < 0)
    return error_set_errno (err, errno, "open the cgroup '%s'", path);
  if (st.st_dev != held.st_dev || st.st_ino != held.st_ino)
    return error_set (err, -ESTALE, "'%s' is not the cgroup that was made for this run", path);
  return take_fd (&fd);
}

static int show_group (const struct launch *launch, const struct cgroup_directory *directory,
                       const char *target, struct error *err)
{
  cleanup_close int fd = open_group (launch, directory, err);

  return fd < 0 ? fd : mount_descriptor (fd, target, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, -1, err);
}

/* If a hierarchy has several controllers, each gets a link with its own name. */
static int link_names (const char *view, const char *names, struct error *err)
{
  for (size_t i = 0; i < CGROUP_SHOWN && strchr (names, ',') != NULL; i++) {
    cleanup_free char *name = str_format ("%s/%s", view, cgroup_shown[i]);

    if (name == NULL)
      return error_oom (err);
    if (proc_option_has (names, cgroup_shown[i]) && symlink (names, name) < 0)
      return error_set_errno (err, errno, "make '%s'", name);
  }
  return 0;
}

/* The group's directory whose controllers are shown as NAMES. */
static const struct cgroup_directory *find_directory (const struct cgroup *group, const char *names)
{
  for (size_t i = 0; i < group->count; i++) {
    cleanup_strbuf struct strbuf shown = { 0 };

    cgroup_shown_names (&group->directories[i], &shown);
    if (!shown.failed && strcmp (shown.text, names) == 0)
      return &group->directories[i];
  }
  return NULL;
}

/* Makes a mount point for MOUNT in VIEW, and the mount itself beside it on the stage. */
static int show_hierarchy (const struct stage *stage, const char *view, const struct plan_mount *mount,
                           struct error *err)
{
  const char *names = mount->target + strlen (PLAN_GROUP_VIEW "/");
  const struct cgroup_directory *directory = find_directory (stage->group, names);
  cleanup_free char *point = str_format ("%s/%s", view, names);
  int r;

  if (point == NULL)
    return error_oom (err);
  if (directory == NULL)
    return error_set (err, -ENOENT, "the run has no cgroup for '%s', which the plan shows", names);
  if (mkdir (point, 0755) < 0 || mkdir (mount->staged, 0755) < 0)
    return error_set_errno (err, errno, "make '%s'", point);
  r = show_group (stage->launch, directory, mount->staged, err);
  return r < 0 ? r : link_names (view, names, err);
}

int stage_group (const struct stage *stage, struct error *err)
{
  const struct launch *launch = stage->launch;
  const struct plan_mount *view = launch_mount_at (launch, PLAN_GROUP_VIEW);
  int r = 0;

  if (plan_group_view (stage->plan) == NULL)
    return 0;
  if (mkdir (view->staged, 0755) < 0)
    return error_set_errno (err, errno, "make '%s'", view->staged);
  if (stage->plan->cgroup == CGROUP_V2)
    return show_group (launch, &stage->group->directories[0], view->staged, err);
  for (size_t i = 0; r == 0 && i < launch->mount_count; i++)
    if (strcmp (launch->mounts[i].type, "cgroup") == 0 && &launch->mounts[i] != view)
      r = show_hierarchy (stage, view->staged, &launch->mounts[i], err);
  return r;
}
