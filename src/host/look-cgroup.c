#include <config.h>

#include "host-internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-path.h"
#include "base-str.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

enum file_system { FS_OTHER, FS_CGROUP1, FS_CGROUP2 };

static enum file_system file_system_of (const char *path)
{
  struct statfs fs;

  if (statfs (path, &fs) < 0)
    return FS_OTHER;
  if (fs.f_type == CGROUP2_SUPER_MAGIC)
    return FS_CGROUP2;
  return fs.f_type == CGROUP_SUPER_MAGIC ? FS_CGROUP1 : FS_OTHER;
}

/* Not v2 throughout: the root is a tmpfs, with a mount for each controller, and perhaps one of v2. */
static int look_mounts (enum cgroup_mode *ret_mode)
{
  DIR *dir = opendir (CGROUP_ROOT);
  bool v1 = false, v2 = false;
  int r = 0;

  if (dir == NULL)
    return 0;
  for (const struct dirent *e = readdir (dir); e != NULL && r == 0; e = readdir (dir)) {
    cleanup_free char *path = NULL;
    enum file_system fs;

    if (e->d_name[0] == '.')
      continue;
    path = str_format ("%s/%s", CGROUP_ROOT, e->d_name);
    if (path == NULL) {
      r = -1;
      continue;
    }
    fs = file_system_of (path);
    v2 = v2 || fs == FS_CGROUP2;
    /* systemd's own tree has no controller in it. */
    v1 = v1 || (fs == FS_CGROUP1 && strcmp (e->d_name, "systemd") != 0);
  }
  closedir (dir);
  if (v2)
    *ret_mode = CGROUP_HYBRID;
  else if (v1)
    *ret_mode = CGROUP_V1;
  return r;
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

/* "4:cpu,cpuacct:/a/b" and "0::/a/b"; a group's name may hold a colon. */
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

/* The folder of our own group. In a container the mount may begin at that group already; then our name for it
 * leads nowhere below the mount, and the mount is what we have. */
static char *own_folder (const char *groups, const char *mount, const char *controller)
{
  cleanup_free char *copy = strdup (groups);
  cleanup_free char *folder = NULL;
  const char *group;

  if (copy == NULL)
    return NULL;
  group = look_own_group (copy, controller);
  if (group == NULL || strcmp (group, "/") == 0)
    return strdup (mount);
  folder = str_format ("%s%s", mount, group);
  if (folder != NULL && access (folder, F_OK) < 0)
    return strdup (mount);
  return take_ptr (folder);
}

/* FOLDER itself when NAME is NULL. */
static bool has_access (const char *folder, const char *name, int mode)
{
  cleanup_free char *path = name ? str_format ("%s/%s", folder, name) : strdup (folder);

  return path != NULL && faccessat (AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

static int look_v1 (const char *groups, struct host_facts *facts)
{
  cleanup_free char *memory = own_folder (groups, CGROUP_ROOT "/memory", "memory");
  cleanup_free char *pids = own_folder (groups, CGROUP_ROOT "/pids", "pids");

  if (memory == NULL || pids == NULL)
    return -1;
  facts->cgroup_writable = has_access (memory, NULL, W_OK) && has_access (pids, NULL, W_OK);
  facts->swap_accounting = has_access (memory, "memory.memsw.limit_in_bytes", F_OK);
  return 0;
}

static int look_v2 (const char *groups, struct host_facts *facts)
{
  /* The root group has no memory.swap.max; these are there wherever systemd is. */
  static const char *const others[] = { "init.scope", "system.slice", "user.slice" };
  cleanup_free char *own = own_folder (groups, CGROUP_ROOT, "");

  if (own == NULL)
    return -1;
  if (geteuid () != 0 && look_delegation (CGROUP_ROOT, own + strlen (CGROUP_ROOT), facts) < 0)
    return -1;
  facts->cgroup_writable = has_access (own, NULL, W_OK) && has_access (own, "cgroup.procs", W_OK)
                           && has_access (own, "cgroup.subtree_control", W_OK);
  facts->swap_accounting = has_access (own, "memory.swap.max", F_OK);
  for (size_t i = 0; i < ARRAY_LEN (others) && !facts->swap_accounting; i++) {
    cleanup_free char *folder = str_format ("%s/%s", CGROUP_ROOT, others[i]);

    if (folder == NULL)
      return -1;
    facts->swap_accounting = has_access (folder, "memory.swap.max", F_OK);
  }
  return 0;
}

int look_cgroup (struct host_facts *facts, struct error *err)
{
  cleanup_free char *groups = NULL;
  int r = 0;

  facts->cgroup = CGROUP_NONE;
  if (file_system_of (CGROUP_ROOT) == FS_CGROUP2)
    facts->cgroup = CGROUP_V2;
  else
    r = look_mounts (&facts->cgroup);
  if (r == 0 && facts->cgroup != CGROUP_NONE) {
    groups = look_text ("/proc/self/cgroup");
    if (groups != NULL)
      r = facts->cgroup == CGROUP_V2 ? look_v2 (groups, facts) : look_v1 (groups, facts);
  }
  return r < 0 ? error_oom (err) : 0;
}
