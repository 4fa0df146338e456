#include <config.h>

#include "run-trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-path.h"
#include "base-str.h"
#include "posture-proc.h"
#include "run-location-internal.h"
#include "run-mount.h"

#define FD_INFO_MAX ((size_t) 64 * 1024)

/* What the kernel puts behind the root of a mount whose directory was removed. */
#define DELETED "//deleted"

/* For the file system of a root that is not listed. */
#define UNLISTED "unknown"

struct table {
  struct proc_mounts mounts;
  uint64_t root;        /* the mount that "/" is on; in a chroot it need not be listed */
  uint64_t root_device; /* as the table would have it */
  struct error *err;
};

static void table_clear (struct table *table)
{
  proc_mounts_clear (&table->mounts);
}
#define cleanup_table cleanup (table_clear)

/* The kernel's number of the mount that FD is on. */
static int mount_id_of (int fd, uint64_t *ret_id, struct error *err)
{
  cleanup_free char *text = NULL;
  const char *at;
  char path[64];
  int r;

  snprintf (path, sizeof (path), "/proc/self/fdinfo/%d", fd);
  r = file_read (AT_FDCWD, path, FD_INFO_MAX, &text, NULL, err);
  if (r < 0)
    return r;
  at = strstr (text, "\nmnt_id:");
  if (at == NULL || (at += strlen ("\nmnt_id:"), !proc_number_next (&at, ret_id)))
    return error_set (err, -EIO, "the kernel does not tell which mount a file is on");
  return 0;
}

static int read_table (struct table *table)
{
  cleanup_close int root = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct stat st;
  int r;

  if (root < 0 || fstat (root, &st) < 0)
    return error_set_errno (table->err, errno, "look at '/'");
  table->root_device = (uint64_t) major (st.st_dev) << 32 | minor (st.st_dev);
  r = mount_id_of (root, &table->root, table->err);
  return r < 0 ? r : location_read_mounts (&table->mounts, table->err);
}

static const struct proc_mount *find_mount (const struct table *table, uint64_t id)
{
  for (size_t i = 0; i < table->mounts.count; i++)
    if (table->mounts.items[i].id == id)
      return &table->mounts.items[i];
  return NULL;
}

/* BASE and the part of PATH behind HEAD, which holds it. */
static char *moved (const char *path, const char *head, const char *base)
{
  const char *rest = path + (strcmp (head, "/") == 0 ? 0 : strlen (head));

  if (strcmp (rest, "/") == 0 || rest[0] == '\0')
    return strdup (base);
  return str_format ("%s%s", strcmp (base, "/") == 0 ? "" : base, rest);
}

static bool has_place (const struct path_fact *fact, const char *path, const struct proc_mount *mount)
{
  for (size_t i = 0; i < fact->place_count; i++)
    if (strcmp (fact->places[i].path, path) == 0 && strcmp (fact->places[i].mount, mount->point) == 0
        && strcmp (fact->places[i].root, mount->root) == 0)
      return true;
  return false;
}

/* INNER is a path in the file system. By MOUNT it has the name that is added; where only a part of it is
 * mounted there, that part has it. */
static int add_name (struct path_fact *fact, const char *inner, const struct proc_mount *mount)
{
  cleanup_free char *path = NULL;

  if (path_is_within (inner, mount->root))
    path = moved (inner, mount->root, mount->point);
  else if (path_is_within (mount->root, inner))
    path = strdup (mount->point);
  else
    return 0;
  if (path == NULL)
    return -ENOMEM;
  return has_place (fact, path, mount) ? 0 : path_fact_add_place (fact, path, mount->point, mount->root);
}

/* PATH, without links, is on MOUNT. */
static int add_places (const struct table *table, struct path_fact *fact, const char *path,
                       const struct proc_mount *mount)
{
  cleanup_free char *inner = NULL;
  int r;

  if (str_has_suffix (mount->root, DELETED))
    return error_set (table->err, -ESTALE,
                      "workspace.bounded: cannot tell where '%s' lies: what is mounted on '%s' has been "
                      "deleted; unmount it",
                      path, mount->point);
  if (!path_is_within (path, mount->point))
    return error_set (table->err, -EXDEV,
                      "workspace.bounded: cannot tell where '%s' lies: it is not below '%s'", path,
                      mount->point);
  inner = moved (path, mount->point, mount->root);
  fact->filesystem = strdup (mount->type);
  r = inner && fact->filesystem ? path_fact_add_place (fact, path, mount->point, mount->root) : -ENOMEM;
  for (size_t i = 0; r == 0 && i < table->mounts.count; i++)
    if (table->mounts.items[i].device == mount->device)
      r = add_name (fact, inner, &table->mounts.items[i]);
  return r < 0 ? error_oom (table->err) : 0;
}

/* MOUNT is mounted, directly or not, on the mount with number ABOVE. */
static bool is_on (const struct table *table, const struct proc_mount *mount, uint64_t above)
{
  for (size_t steps = 0; mount != NULL && steps <= table->mounts.count; steps++) {
    if (mount->parent == above)
      return true;
    mount = find_mount (table, mount->parent);
  }
  return false;
}

static int add_below (const struct table *table, struct path_fact *fact, uint64_t above)
{
  for (size_t i = 0; i < table->mounts.count; i++) {
    const struct proc_mount *mount = &table->mounts.items[i];
    cleanup_path_fact struct path_fact below = { .type = PATH_DIRECTORY, .device = mount->device };
    int r;

    if (!path_is_within (mount->point, fact->real) || !is_on (table, mount, above))
      continue;
    below.path = strdup (mount->point);
    below.real = strdup (mount->point);
    if (below.path == NULL || below.real == NULL)
      return error_oom (table->err);
    r = add_places (table, &below, mount->point, mount);
    if (r < 0)
      return r;
    if (path_fact_add_below (fact, &below) < 0)
      return error_oom (table->err);
  }
  return 0;
}

/* In a chroot whose root is no mount point the root's own mount is not listed, and what of its file system
 * is mounted elsewhere could be any part of it. */
static int trace_unlisted (const struct table *table, struct path_fact *fact, uint64_t id)
{
  if (id != table->root)
    return error_set (table->err, -EXDEV,
                      "workspace.bounded: cannot tell where '%s' lies: its mount is not one of ours",
                      fact->real);
  fact->filesystem = strdup (UNLISTED);
  if (fact->filesystem == NULL || path_fact_add_place (fact, fact->real, "/", "/") < 0)
    return error_oom (table->err);
  return 0;
}

static int trace_one (const struct table *table, struct path_fact *fact)
{
  cleanup_close int fd = mount_open_source (fact->real, table->err);
  const struct proc_mount *mount;
  struct stat st;
  uint64_t id = 0;
  int r;

  if (fd < 0)
    return fd;
  if (fstat (fd, &st) < 0)
    return error_set_errno (table->err, errno, "look at '%s'", fact->real);
  if (st.st_ino != fact->inode || st.st_dev != fact->device)
    return error_set (table->err, -ESTALE, "cannot look at '%s': it changed or was removed meanwhile",
                      fact->real);
  r = mount_id_of (fd, &id, table->err);
  if (r < 0)
    return r;
  mount = find_mount (table, id);
  if (mount != NULL && find_mount (table, table->root) == NULL && mount->device == table->root_device
      && strcmp (mount->root, "/") != 0)
    return error_set (table->err, -EXDEV,
                      "workspace.bounded: cannot tell where '%s' lies: it is a part of the root's file "
                      "system, and the root is "
                      "no mount point",
                      fact->real);
  r = mount ? add_places (table, fact, fact->real, mount) : trace_unlisted (table, fact, id);
  return r < 0 || fact->type != PATH_DIRECTORY ? r : add_below (table, fact, id);
}

int trace_paths (struct host_facts *facts, struct error *err)
{
  cleanup_table struct table table = { .err = err };
  int r = read_table (&table);

  for (size_t i = 0; r == 0 && i < facts->paths.count; i++) {
    struct path_fact *fact = &facts->paths.items[i];

    if (fact->real != NULL && fact->type != PATH_ABSENT && fact->filesystem == NULL && !fact->magic)
      r = trace_one (&table, fact);
  }
  return r;
}

/* The root of a chroot can become a mount meanwhile. */
static bool same_mount (const struct path_fact *a, const struct path_fact *b)
{
  bool unlisted = str_equal (a->filesystem, UNLISTED);

  return a->place_count > 0 && b->place_count > 0 && a->device == b->device && str_equal (a->real, b->real)
         && strcmp (a->places[0].mount, b->places[0].mount) == 0
         && (unlisted
             || (str_equal (a->filesystem, b->filesystem)
                 && strcmp (a->places[0].root, b->places[0].root) == 0));
}

bool trace_same (const struct path_fact *before, const struct path_fact *now)
{
  if (!same_mount (before, now) || before->inode != now->inode || before->below_count != now->below_count)
    return false;
  for (size_t i = 0; i < now->below_count; i++) {
    bool found = false;

    for (size_t k = 0; k < before->below_count && !found; k++)
      found = same_mount (&before->below[k], &now->below[i]);
    if (!found)
      return false;
  }
  return true;
}
