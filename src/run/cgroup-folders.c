/* The folders of a run's group, found once and held open.
 *
 * Each part of a path below /sys/fs/cgroup is looked up under locks that every launch on the host wants, for
 * making and removing groups, and so does every network that ends. So hierarchies are found once for a run,
 * and files are opened from the folders that are held. That a hierarchy is one is seen when it is found; what
 * is held stays that, whatever is mounted over it.
 */
#include <config.h>

#include "run-cgroup-internal.h"

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

#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* What limits or counts; the others have nothing to say about a run. */
static const char *const controllers[] = { "memory", "pids", "cpu", "cpuacct", "devices", "freezer" };

_Static_assert(ARRAY_LEN (controllers) == CGROUP_FOLDERS_MAX, "a hierarchy for each, at most");

/* Whether the hierarchy NAME, such as "cpu,cpuacct", has one of them. */
static bool is_wanted (const char *name)
{
  for (size_t i = 0; i < ARRAY_LEN (controllers); i++)
    if (proc_option_has (name, controllers[i]))
      return true;
  return false;
}

static int add_name (struct cgroup_folder *folder, const char *name)
{
  char *names = str_format ("%s,%s", folder->names, name);

  if (names == NULL)
    return -ENOMEM;
  free (folder->names);
  folder->names = names;
  return 0;
}

static int add_hierarchy (struct cgroup *group, const char *name, int *fd, dev_t device)
{
  struct cgroup_folder *folder = &group->folders[group->count];

  if (group->count == ARRAY_LEN (group->folders))
    return -E2BIG;
  *folder = (struct cgroup_folder){ .names = strdup (name), .device = device, .above = -1, .fd = -1 };
  if (folder->names == NULL)
    return -ENOMEM;
  folder->above = take_fd (fd);
  group->count++;
  return 0;
}

/* NAME in DIR, if it is a hierarchy. One that was seen already gets a second name by it, as a link or another
 * mount gives one. One that cannot be looked at is not taken for none. */
static int look_at (struct cgroup *group, int dir, const char *name, bool link)
{
  cleanup_close int fd = openat (dir, name, FOLDER_FLAGS | (link ? 0 : O_NOFOLLOW));
  struct statfs fs;
  struct stat st;

  if (fd < 0 && link && (errno == ENOENT || errno == ENOTDIR))
    return 0;
  if (fd < 0 || fstatfs (fd, &fs) < 0 || fstat (fd, &st) < 0)
    return -errno;
  if (fs.f_type != CGROUP_SUPER_MAGIC)
    return 0;
  for (size_t i = 0; i < group->count; i++)
    if (group->folders[i].device == st.st_dev)
      return add_name (&group->folders[i], name);
  return add_hierarchy (group, name, &fd, st.st_dev);
}

int cgroup_find_hierarchies (struct cgroup *group)
{
  DIR *dir = opendir (CGROUP_ROOT);
  const struct dirent *entry;
  int r = dir ? 0 : -errno;

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

int cgroup_open_folder (int above, const char *path)
{
  int fd = openat (above, path, FOLDER_FLAGS | O_NOFOLLOW);

  return fd < 0 ? -errno : fd;
}

/* The last part of PATH. */
static const char *name_of (const char *path)
{
  return strrchr (path, '/') + 1;
}

int cgroup_make_folders (struct cgroup *group, const char *path)
{
  const char *name = name_of (path);

  for (size_t i = 0; i < group->count; i++) {
    struct cgroup_folder *folder = &group->folders[i];

    if (mkdirat (folder->above, name, 0755) < 0)
      return -errno;
    folder->fd = cgroup_open_folder (folder->above, name);
    if (folder->fd < 0)
      return folder->fd;
  }
  group->made = true;
  return 0;
}

bool cgroup_remove (const struct cgroup *group, const char *path)
{
  bool gone = group->made;

  for (size_t i = 0; group->made && i < group->count; i++)
    if (unlinkat (group->folders[i].above, name_of (path), AT_REMOVEDIR) < 0 && errno != ENOENT)
      gone = false;
  return gone;
}

/* Hierarchies that do not have the group are let go. */
static void open_v1 (struct cgroup *group, const char *path)
{
  const char *below = path[strspn (path, "/")] != '\0' ? path + strspn (path, "/") : ".";
  size_t kept = 0;

  if (cgroup_find_hierarchies (group) < 0) {
    cgroup_close (group);
    return;
  }
  for (size_t i = 0; i < group->count; i++) {
    struct cgroup_folder folder = group->folders[i];

    folder.fd = cgroup_open_folder (folder.above, below);
    close_p (&folder.above);
    folder.above = -1;
    if (folder.fd >= 0)
      group->folders[kept++] = folder;
    else
      free (folder.names);
  }
  group->count = kept;
}

static void open_v2 (struct cgroup *group, const char *path)
{
  cleanup_free char *folder = str_format (CGROUP_ROOT "%s", path);
  int fd = folder ? cgroup_open_folder (AT_FDCWD, folder) : -ENOMEM;

  if (fd >= 0)
    group->folders[group->count++] = (struct cgroup_folder){ .above = -1, .fd = fd };
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
  for (size_t i = 0; i < group->count; i++) {
    free (group->folders[i].names);
    close_p (&group->folders[i].above);
    close_p (&group->folders[i].fd);
  }
  *group = (struct cgroup){ 0 };
}

int cgroup_folder (const struct cgroup *group, const char *controller)
{
  for (size_t i = 0; i < group->count; i++)
    if (group->mode == CGROUP_V2 || proc_option_has (group->folders[i].names, controller))
      return group->folders[i].fd;
  return -1;
}

int cgroup_open_file (int folder, const char *name)
{
  int fd = folder == -1 ? -1 : openat (folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

  if (folder == -1)
    return -ENOENT;
  return fd < 0 ? -errno : fd;
}

int cgroup_write (int folder, const char *name, const char *text)
{
  cleanup_close int fd = cgroup_open_file (folder, name);

  if (fd < 0)
    return fd;
  return write (fd, text, strlen (text)) < 0 ? -errno : 0;
}
