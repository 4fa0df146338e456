/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "host-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "base-str.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

enum file_system { FS_OTHER, FS_CGROUP1, FS_CGROUP2 };

/* The file system of NAME below ROOT. Uses descriptors: resolving a whole path takes locks in /sys for
 * which all launches on the host compete. */
static int look_mount (int root, const char *name, enum file_system *ret_fs)
{
  cleanup_close int fd = openat (root, name, O_PATH | O_CLOEXEC);
  struct statfs fs;

  *ret_fs = FS_OTHER;
  if (fd < 0 || fstatfs (fd, &fs) < 0)
    return look_is_trouble (errno) ? -errno : 0;
  if (fs.f_type == CGROUP2_SUPER_MAGIC)
    *ret_fs = FS_CGROUP2;
  else if (fs.f_type == CGROUP_SUPER_MAGIC)
    *ret_fs = FS_CGROUP1;
  return 0;
}

/* Not v1 or v2 only: the root is a tmpfs with a mount for each controller, and perhaps one of v2. */
static int look_mounts (DIR *dir, enum cgroup_mode *ret_mode)
{
  bool v1 = false, v2 = false;
  int r = 0;

  for (const struct dirent *e = readdir (dir); e != NULL && r == 0; e = readdir (dir)) {
    enum file_system fs;

    if (e->d_name[0] == '.')
      continue;
    r = look_mount (dirfd (dir), e->d_name, &fs);
    v2 = v2 || fs == FS_CGROUP2;
    /* systemd's own hierarchy has no controller. */
    v1 = v1 || (fs == FS_CGROUP1 && strcmp (e->d_name, "systemd") != 0);
  }
  if (v2)
    *ret_mode = CGROUP_HYBRID;
  else if (v1)
    *ret_mode = CGROUP_V1;
  return r;
}

static int look_mode (enum cgroup_mode *ret_mode)
{
  DIR *dir = opendir (CGROUP_ROOT);
  enum file_system fs;
  int r;

  if (dir == NULL)
    return look_is_trouble (errno) ? -errno : 0;
  r = look_mount (dirfd (dir), ".", &fs);
  if (r == 0 && fs == FS_CGROUP2)
    *ret_mode = CGROUP_V2;
  else if (r == 0)
    r = look_mounts (dir, ret_mode);
  closedir (dir);
  return r;
}

int host_look_cgroup_mode (enum cgroup_mode *ret_mode, struct error *err)
{
  int r;

  *ret_mode = CGROUP_NONE;
  r = look_mode (ret_mode);
  return r < 0 ? error_set_errno (err, -r, "cannot look at the cgroups of this host") : 0;
}

static bool names_controller (const char *list, const char *controller)
{
  size_t len = strlen (controller);

  for (const char *p = list;; p++) {
    size_t n = strcspn (p, ",");

    if (n == len && strncmp (p, controller, len) == 0)
      return true;
    p += n;
    if (*p == '\0')
      return false;
  }
}

/* Lines are "4:cpu,cpuacct:/a/b" or "0::/a/b"; the name of a group may contain a colon. */
const char *look_own_group (char *text, const char *controller)
{
  char *cursor = text;

  for (char *line = look_line (&cursor); line != NULL; line = look_line (&cursor)) {
    char *list = strchr (line, ':');
    char *path = list ? strchr (list + 1, ':') : NULL;

    if (path == NULL)
      continue;
    *list++ = '\0';
    *path++ = '\0';
    if (names_controller (list, controller))
      return path_is_normal (path) ? path : NULL;
  }
  return NULL;
}

/* The directory of our own group. In a container the mount may start at that group; then the group's name
 * does not exist below the mount, and the mount is its directory. */
static char *own_directory (const char *groups, const char *mount, const char *controller)
{
  cleanup_free char *copy = strdup (groups);
  cleanup_free char *directory = NULL;
  const char *group;

  if (copy == NULL)
    return NULL;
  group = look_own_group (copy, controller);
  if (group == NULL || strcmp (group, "/") == 0)
    return strdup (mount);
  directory = str_format ("%s%s", mount, group);
  if (directory != NULL && access (directory, F_OK) < 0)
    return strdup (mount);
  return take_ptr (directory);
}

int look_access (const char *directory, const char *name, int mode, bool *ret_access)
{
  cleanup_free char *path = str_format ("%s/%s", directory, name);

  if (path == NULL)
    return -ENOMEM;
  *ret_access = faccessat (AT_FDCWD, path, mode, AT_EACCESS) == 0;
  return !*ret_access && look_is_trouble (errno) ? -errno : 0;
}

/* Whether all of NAMES in DIRECTORY are writable; stops at the first that is not. */
static int look_writable (const char *directory, const char *const *names, bool *ret_writable)
{
  int r = 0;

  for (*ret_writable = true; r == 0 && *ret_writable && *names != NULL; names++)
    r = look_access (directory, *names, W_OK, ret_writable);
  return r;
}

static int look_v1 (const char *groups, struct host_facts *facts)
{
  static const char *const itself[] = { ".", NULL };
  cleanup_free char *memory = own_directory (groups, CGROUP_ROOT "/memory", "memory");
  cleanup_free char *pids = own_directory (groups, CGROUP_ROOT "/pids", "pids");

  bool counts = false;
  int r;

  if (memory == NULL || pids == NULL)
    return -ENOMEM;
  r = look_writable (memory, itself, &facts->cgroup_writable);
  if (r == 0 && facts->cgroup_writable)
    r = look_writable (pids, itself, &facts->cgroup_writable);
  if (r == 0)
    r = look_access (memory, "memory.memsw.limit_in_bytes", F_OK, &counts);
  facts->swap_accounting = counts;
  return r;
}

static int look_v2 (const char *groups, struct host_facts *facts)
{
  static const char *const files[] = { ".", "cgroup.procs", "cgroup.subtree_control", NULL };
  /* The root group has no memory.swap.max; these groups exist wherever systemd runs. */
  static const char *const others[] = { "init.scope/memory.swap.max", "system.slice/memory.swap.max",
                                        "user.slice/memory.swap.max" };
  cleanup_free char *own = own_directory (groups, CGROUP_ROOT, "");
  bool counts = false;
  int r = 0;

  if (own == NULL)
    return -ENOMEM;
  if (geteuid () != 0)
    r = look_delegation (CGROUP_ROOT, own + strlen (CGROUP_ROOT), facts);
  if (r == 0)
    r = look_writable (own, files, &facts->cgroup_writable);
  if (r == 0)
    r = look_access (own, "memory.swap.max", F_OK, &counts);
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (others) && !counts; i++)
    r = look_access (CGROUP_ROOT, others[i], F_OK, &counts);
  facts->swap_accounting = counts;
  return r;
}

int look_cgroup (struct host_facts *facts, struct error *err)
{
  cleanup_free char *groups = NULL;
  int r;

  facts->cgroup = CGROUP_NONE;
  r = look_mode (&facts->cgroup);
  if (r == 0 && facts->cgroup != CGROUP_NONE) {
    if (look_text ("/proc/self/cgroup", &groups, err) < 0)
      return err->code;
    if (groups != NULL)
      r = facts->cgroup == CGROUP_V2 ? look_v2 (groups, facts) : look_v1 (groups, facts);
  }
  return r < 0 ? error_set_errno (err, -r, "cannot look at the cgroups of this host") : 0;
}
