/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directories of a run's group, found once and kept open.
 *
 * Each lookup below /sys/fs/cgroup takes locks that every launch on the host needs to make and remove groups,
 * and so does the end of every network namespace. So hierarchies are found once for a run, and files are
 * opened relative to open directories. The file system type is checked when a hierarchy is found; an open
 * directory stays valid, whatever is mounted over it.
 */
#include <config.h>

#include "cgroup-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base-cleanup.h"
#include "base-str.h"
#include "posture-proc.h"

#define DIRECTORY_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* Controllers that limit or count, or in which a program looks for its limits: Java on version 1 ignores all
 * limits unless "cpuset" is there, too. */
static const char *const controllers[] = {
  "memory", "pids", "cpu", "cpuacct", "devices", "freezer", "cpuset"
};

const char *const cgroup_shown[CGROUP_SHOWN] = { "cpu", "cpuacct", "cpuset", "memory", "pids" };

_Static_assert(ARRAY_LEN (controllers) == CGROUP_DIRECTORIES_MAX, "a hierarchy for each, at most");

/* Whether the hierarchy NAME, such as "cpu,cpuacct", has one of them. */
static bool is_wanted (const char *name)
{
  for (size_t i = 0; i < ARRAY_LEN (controllers); i++)
    if (proc_option_has (name, controllers[i]))
      return true;
  return false;
}

static int add_name (struct cgroup_directory *directory, const char *name)
{
  char *names = str_format ("%s,%s", directory->names, name);

  if (names == NULL)
    return -ENOMEM;
  free (directory->names);
  directory->names = names;
  return 0;
}

static int add_hierarchy (struct cgroup *group, const char *name, int *fd, dev_t device)
{
  struct cgroup_directory *directory = &group->directories[group->count];

  if (group->count == ARRAY_LEN (group->directories))
    return -E2BIG;
  *directory = (struct cgroup_directory){
    .names = strdup (name), .mounted = strdup (name), .device = device, .above = -1, .fd = -1
  };
  group->count++;
  if (directory->names == NULL || directory->mounted == NULL)
    return -ENOMEM;
  directory->above = take_fd (fd);
  return 0;
}

/* A group below FD accepts processes only if FD has CPUs and memory nodes to inherit. A run has no limit in
 * this hierarchy, so it does without if there are none. Returns 1 if there are, 0 if not, or an error. */
static int gives_processors (int fd)
{
  static const char *const names[] = { "cpuset.cpus", "cpuset.mems" };

  for (size_t i = 0; i < ARRAY_LEN (names); i++) {
    cleanup_close int file = openat (fd, names[i], O_RDONLY | O_CLOEXEC);
    char byte = '\n';

    if (file < 0 || read (file, &byte, 1) < 0)
      return -errno;
    if (byte == '\n')
      return 0;
  }
  return 1;
}

/* Adds NAME in DIR, if it is a hierarchy. A link or a second mount adds a name to a known one. A hierarchy
 * that cannot be examined is an error. */
static int look_at (struct cgroup *group, int dir, const char *name, bool link)
{
  cleanup_close int fd = openat (dir, name, DIRECTORY_FLAGS | (link ? 0 : O_NOFOLLOW));
  struct statfs fs;
  struct stat st;

  if (fd < 0 && link && (errno == ENOENT || errno == ENOTDIR))
    return 0;
  if (fd < 0 || fstatfs (fd, &fs) < 0 || fstat (fd, &st) < 0)
    return -errno;
  if (fs.f_type != CGROUP_SUPER_MAGIC)
    return 0;
  for (size_t i = 0; i < group->count; i++)
    if (group->directories[i].device == st.st_dev)
      return add_name (&group->directories[i], name);
  if (strcmp (name, "cpuset") == 0) {
    int r = gives_processors (fd);

    if (r <= 0)
      return r;
  }
  return add_hierarchy (group, name, &fd, st.st_dev);
}

int cgroup_find_hierarchies (struct cgroup *group)
{
  DIR *dir = group->count > 0 ? NULL : opendir (CGROUP_ROOT);
  const struct dirent *entry;
  int r = dir ? 0 : -errno;

  if (group->count > 0)
    return 0;

  while (r == 0) {
    errno = 0;
    entry = readdir (dir);
    if (entry == NULL) {
      r = -errno;
      break;
    }
    if ((entry->d_type == DT_DIR || entry->d_type == DT_LNK) && is_wanted (entry->d_name))
      r = look_at (group, dirfd (dir), entry->d_name, entry->d_type == DT_LNK);
  }
  if (dir != NULL)
    closedir (dir);
  return r;
}

int cgroup_open_directory (int above, const char *path)
{
  int fd = openat (above, path, DIRECTORY_FLAGS | O_NOFOLLOW);

  return fd < 0 ? -errno : fd;
}

/* The last component of PATH. */
static const char *name_of (const char *path)
{
  return strrchr (path, '/') + 1;
}

int cgroup_make_directories (struct cgroup *group, const char *path)
{
  const char *name = name_of (path);

  for (size_t i = 0; i < group->count; i++) {
    struct cgroup_directory *directory = &group->directories[i];

    if (mkdirat (directory->above, name, 0755) < 0)
      return -errno;
    directory->fd = cgroup_open_directory (directory->above, name);
    if (directory->fd < 0)
      return directory->fd;
  }
  group->made = true;
  return 0;
}

void cgroup_shown_names (const struct cgroup_directory *directory, struct strbuf *ret_names)
{
  strbuf_add (ret_names, "");
  for (size_t i = 0; i < CGROUP_SHOWN; i++)
    if (proc_option_has (directory->names, cgroup_shown[i]))
      strbuf_addf (ret_names, "%s%s", ret_names->len > 0 ? "," : "", cgroup_shown[i]);
}

int cgroup_find_shown (const struct plan *plan, struct cgroup *group, struct strlist *ret_shown,
                       struct error *err)
{
  int r = 0;

  if (plan_group_view (plan) == NULL || plan->cgroup == CGROUP_V2)
    return 0;
  group->mode = plan->cgroup;
  r = cgroup_find_hierarchies (group);
  if (r < 0)
    return error_set_errno (err, -r, "find the cgroup hierarchies");
  for (size_t i = 0; i < group->count; i++) {
    struct strbuf names = { 0 };

    cgroup_shown_names (&group->directories[i], &names);
    if (names.len == 0 && !names.failed)
      strbuf_clear (&names);
    else if (strlist_add_take (ret_shown, strbuf_take (&names)) < 0)
      return error_oom (err);
  }
  return 0;
}

static void directory_clear (struct cgroup_directory *directory)
{
  free (directory->names);
  free (directory->mounted);
  close_p (&directory->above);
  close_p (&directory->fd);
}

int cgroup_make_empty (const struct plan *plan, const struct launch *launch, struct cgroup *group,
                       struct error *err)
{
  int r = 0;

  group->mode = plan->cgroup;
  if (plan->cgroup == CGROUP_V2) {
    int above = cgroup_open_directory (AT_FDCWD, CGROUP_ROOT);

    r = above < 0 ? above : 0;
    if (r == 0)
      group->directories[group->count++] = (struct cgroup_directory){ .above = above, .fd = -1 };
  } else
    r = cgroup_find_hierarchies (group);
  if (r == 0)
    r = cgroup_make_directories (group, launch->cgroup_path);
  /* The runtime makes the group in more hierarchies than these, so cgroup_remove must not count on them. */
  group->made = false;
  return r < 0 ? error_set_errno (err, -r, "make the cgroup '%s'", launch->cgroup_path) : 0;
}

bool cgroup_remove (const struct cgroup *group, const char *path)
{
  bool gone = group->made;

  for (size_t i = 0; group->made && i < group->count; i++)
    if (unlinkat (group->directories[i].above, name_of (path), AT_REMOVEDIR) < 0 && errno != ENOENT)
      gone = false;
  return gone;
}

/* Drops hierarchies that do not have the group. */
static void open_v1 (struct cgroup *group, const char *path)
{
  const char *below = path[strspn (path, "/")] != '\0' ? path + strspn (path, "/") : ".";
  size_t kept = 0;

  if (cgroup_find_hierarchies (group) < 0) {
    cgroup_close (group);
    return;
  }
  for (size_t i = 0; i < group->count; i++) {
    struct cgroup_directory directory = group->directories[i];

    directory.fd = cgroup_open_directory (directory.above, below);
    close_p (&directory.above);
    directory.above = -1;
    if (directory.fd >= 0)
      group->directories[kept++] = directory;
    else
      directory_clear (&directory);
  }
  group->count = kept;
}

static void open_v2 (struct cgroup *group, const char *path)
{
  cleanup_free char *directory = str_format (CGROUP_ROOT "%s", path);
  int fd = directory ? cgroup_open_directory (AT_FDCWD, directory) : -ENOMEM;

  if (fd >= 0)
    group->directories[group->count++] = (struct cgroup_directory){ .above = -1, .fd = fd };
}

void cgroup_open (enum cgroup_mode mode, const char *path, struct cgroup *group)
{
  if (group->count > 0 || mode == CGROUP_NONE || path == NULL)
    return;
  if (mode == CGROUP_V2)
    open_v2 (group, path);
  else
    open_v1 (group, path);
  group->mode = mode;
}

void cgroup_close (struct cgroup *group)
{
  for (size_t i = 0; i < group->count; i++)
    directory_clear (&group->directories[i]);
  *group = (struct cgroup){ 0 };
}

static const struct cgroup_directory *find (const struct cgroup *group, const char *controller)
{
  for (size_t i = 0; i < group->count; i++)
    if (group->mode == CGROUP_V2 || proc_option_has (group->directories[i].names, controller))
      return &group->directories[i];
  return NULL;
}

int cgroup_directory (const struct cgroup *group, const char *controller)
{
  const struct cgroup_directory *directory = find (group, controller);

  return directory ? directory->fd : -1;
}

int cgroup_above (const struct cgroup *group, const char *controller)
{
  const struct cgroup_directory *directory = find (group, controller);

  return directory ? directory->above : -1;
}

int cgroup_open_file (int directory, const char *name)
{
  int fd = directory == -1 ? -1 : openat (directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

  if (directory == -1)
    return -ENOENT;
  return fd < 0 ? -errno : fd;
}

int cgroup_write (int directory, const char *name, const char *text)
{
  cleanup_close int fd = cgroup_open_file (directory, name);

  if (fd < 0)
    return fd;
  return write (fd, text, strlen (text)) < 0 ? -errno : 0;
}
