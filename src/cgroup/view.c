/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "cgroup-view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "cgroup-internal.h"

/* systemd has the hierarchy "cpu,cpuacct" with a link for each of the two names; crun uses the links. */
static int copy_link (int from, const char *name, int to)
{
  char target[NAME_MAX + 1];
  ssize_t n = readlinkat (from, name, target, sizeof (target) - 1);

  if (n < 0)
    return -errno;
  target[n] = '\0';
  return symlinkat (target, to, name) < 0 ? -errno : 0;
}

static int bind_hierarchy (int from, const char *name, int to)
{
  cleanup_close int fd = openat (from, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), point = -1;
  char source[64], target[64];
  struct statfs fs;

  if (fd < 0 || fstatfs (fd, &fs) < 0)
    return -errno;
  if (fs.f_type != CGROUP_SUPER_MAGIC)
    return 0;
  if (mkdirat (to, name, 0755) < 0)
    return -errno;
  point = openat (to, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (point < 0)
    return -errno;
  snprintf (source, sizeof (source), "/proc/self/fd/%d", fd);
  snprintf (target, sizeof (target), "/proc/self/fd/%d", point);
  return mount (source, target, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

/* DIR was opened before the view was mounted, so it still lists the hierarchies below it. */
static int fill (DIR *dir, int view, struct error *err)
{
  const struct dirent *entry;
  int r = 0;

  while ((entry = readdir (dir)) != NULL) {
    if (entry->d_type == DT_LNK)
      r = copy_link (dirfd (dir), entry->d_name, view);
    else if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
      r = bind_hierarchy (dirfd (dir), entry->d_name, view);
    if (r < 0)
      return error_set_errno (err, -r, "show the cgroup hierarchy '%s'", entry->d_name);
  }
  return 0;
}

int cgroup_view_show (bool empty, struct error *err)
{
  DIR *dir = opendir (CGROUP_ROOT);
  cleanup_close int view = -1;
  int r = 0;

  if (dir == NULL)
    return error_set_errno (err, errno, "open '" CGROUP_ROOT "'");
  if (mount ("tmpfs", CGROUP_ROOT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755") < 0)
    r = error_set_errno (err, errno, "make a view of the cgroups");
  if (r == 0 && !empty) {
    view = open (CGROUP_ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
    r = view < 0 ? error_set_errno (err, errno, "open the view of the cgroups") : fill (dir, view, err);
  }
  closedir (dir);
  return r;
}
