/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "mount-trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-path.h"
#include "base-str.h"
#include "mount-descriptor.h"
#include "mount-location-internal.h"
#include "posture-proc.h"

#define FD_INFO_MAX ((size_t) 64 * 1024)

/* The kernel appends this to the root of a mount whose directory was removed. */
#define DELETED "//deleted"

struct table {
  struct proc_mounts mounts;
  struct error *err;
};

static void table_clear (struct table *table)
{
  proc_mounts_clear (&table->mounts);
}
#define cleanup_table cleanup (table_clear)

/* The id of the mount that FD is on. */
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
    return error_set (err, -EIO, "'%s' has no mnt_id", path);
  return 0;
}

static const struct proc_mount *find_mount (const struct table *table, uint64_t id)
{
  for (size_t i = 0; i < table->mounts.count; i++)
    if (table->mounts.items[i].id == id)
      return &table->mounts.items[i];
  return NULL;
}

/* Replaces HEAD at the start of PATH by BASE. */
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

/* INNER is a path in the file system. Adds its path through MOUNT; if MOUNT shows only a part of INNER, adds
 * the mount point. */
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

/* Adds all paths of PATH, which has no links and is on MOUNT. */
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

/* Whether MOUNT is mounted, directly or not, on the mount with id ABOVE. */
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
  if (mount == NULL)
    return error_set (
        table->err, -EXDEV,
        "workspace.bounded: cannot tell where '%s' lies: its mount is not in this mount namespace",
        fact->real);
  r = add_places (table, fact, fact->real, mount);
  return r < 0 || fact->type != PATH_DIRECTORY ? r : add_below (table, fact, id);
}

int trace_paths (struct host_facts *facts, struct error *err)
{
  cleanup_table struct table table = { .err = err };
  int r = location_read_mounts (&table.mounts, err);

  for (size_t i = 0; r == 0 && i < facts->paths.count; i++) {
    struct path_fact *fact = &facts->paths.items[i];

    if (fact->real != NULL && fact->type != PATH_ABSENT && fact->filesystem == NULL && !fact->magic)
      r = trace_one (&table, fact);
  }
  return r;
}

static bool same_mount (const struct path_fact *a, const struct path_fact *b)
{
  return a->place_count > 0 && b->place_count > 0 && a->device == b->device && str_equal (a->real, b->real)
         && strcmp (a->places[0].mount, b->places[0].mount) == 0 && str_equal (a->filesystem, b->filesystem)
         && strcmp (a->places[0].root, b->places[0].root) == 0;
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

/* ---- The layers of an overlay. */

/* LEN bytes of TEXT with the kernel's \ooo escapes decoded. */
static char *decoded (const char *text, size_t len)
{
  char *plain = strndup (text, len), *to = plain;

  for (const char *from = plain; from != NULL && *from != '\0';) {
    if (from[0] == '\\' && strspn (from + 1, "01234567") >= 3) {
      *to++ = (char) ((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
      from += 4;
    } else
      *to++ = *from++;
  }
  if (to != NULL)
    *to = '\0';
  return plain;
}

/* Adds directories separated by colons; a backslash escapes a colon in a name. */
static int add_layers (struct strlist *layers, const char *text)
{
  cleanup_free char *layer = strdup (text);
  size_t len = 0;

  if (layer == NULL)
    return -ENOMEM;
  for (const char *p = text;; p++) {
    if (*p == '\\' && p[1] != '\0')
      layer[len++] = *++p;
    else if (*p != ':' && *p != '\0')
      layer[len++] = *p;
    else {
      layer[len] = '\0';
      if (len > 0 && strset_add (layers, layer) < 0)
        return -ENOMEM;
      len = 0;
      if (*p == '\0')
        return 0;
    }
  }
}

static int read_layers (struct strlist *layers, const char *options)
{
  static const char *const keys[] = { "lowerdir=", "lowerdir+=", "datadir+=", "upperdir=" };
  int r = 0;

  for (const char *at = options; r >= 0 && *at != '\0'; at += strspn (at, ",")) {
    size_t len = strcspn (at, ",");

    for (size_t i = 0; r >= 0 && i < ARRAY_LEN (keys); i++) {
      size_t skip = strlen (keys[i]);
      cleanup_free char *value = str_has_prefix (at, keys[i]) ? decoded (at + skip, len - skip) : NULL;

      if (!str_has_prefix (at, keys[i]))
        continue;
      if (value == NULL)
        return -ENOMEM;
      r = i == 0 ? add_layers (layers, value) : strset_add (layers, value);
    }
    at += len;
  }
  return r < 0 ? r : 0;
}

/* The parent of PATH's parent. */
static char *two_above (const char *path)
{
  char *above = strdup (path), *slash;

  for (int i = 0; above != NULL && i < 2 && (slash = strrchr (above, '/')) != NULL; i++)
    *slash = '\0';
  return above;
}

/* With many layers, engines name them relative to the directory that holds them all, as "l/NAME" or "17/fs".
 * Any other relative name was given by a user, from an unknown directory. BESIDE are paths that the engine
 * made. *RET_PATH: NULL if LAYER is not one of its names. */
static int find_layer (const char *layer, const struct strlist *beside, char **ret_path)
{
  for (size_t i = 0; i < beside->count && path_is_beneath (layer); i++) {
    cleanup_free char *above = two_above (beside->items[i]);
    cleanup_free char *path = above ? str_format ("%s/%s", above, layer) : NULL;

    if (path == NULL)
      return -ENOMEM;
    if (beside->items[i][0] == '/' && access (path, F_OK) == 0) {
      *ret_path = take_ptr (path);
      return 0;
    }
  }
  return 0;
}

static int name_layers (const char *root, const struct strlist *named, struct strlist *layers,
                        struct error *err)
{
  cleanup_strlist struct strlist beside = { 0 };
  int r = strset_add (&beside, root);

  for (size_t i = 0; r >= 0 && i < named->count; i++)
    if (named->items[i][0] == '/')
      r = strset_add (layers, named->items[i]);
  for (size_t i = 0; r >= 0 && i < layers->count; i++)
    r = strset_add (&beside, layers->items[i]);
  for (size_t i = 0; r >= 0 && i < named->count; i++) {
    cleanup_free char *path = NULL;

    if (named->items[i][0] == '/')
      continue;
    r = find_layer (named->items[i], &beside, &path);
    if (r == 0 && path == NULL)
      return error_set (err, -EXDEV,
                        "workspace.bounded: cannot tell what the root '%s' shows: its layer '%s' is not an "
                        "absolute path",
                        root, named->items[i]);
    if (r == 0)
      r = strset_add (layers, path);
  }
  return r < 0 ? error_oom (err) : 0;
}

int trace_layers (const char *path, struct strlist *ret_layers, struct error *err)
{
  cleanup_close int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  cleanup_free char *real = realpath (path, NULL);
  cleanup_table struct table table = { .err = err };
  cleanup_strlist struct strlist named = { 0 };
  const struct proc_mount *mount;
  uint64_t id = 0;
  int r;

  if (fd < 0 || real == NULL)
    return 0;
  r = mount_id_of (fd, &id, err);
  if (r == 0)
    r = location_read_mounts (&table.mounts, err);
  mount = r == 0 ? find_mount (&table, id) : NULL;
  if (mount == NULL || strcmp (mount->type, "overlay") != 0 || strcmp (mount->point, real) != 0)
    return r;
  if (read_layers (&named, mount->super) < 0)
    return error_oom (err);
  return name_layers (real, &named, ret_layers, err);
}
