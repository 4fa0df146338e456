/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The root of a run.
 *
 * From the host: an empty directory with the host's programs and libraries bound into it read-only, a few
 * generated files in /etc, and nothing of /home, /root, /var or /run. The entries must exist in that
 * directory before anything is mounted: mount points, the host's links, and the generated files. From a
 * directory or an image: used as it is. The launch provides mount points without writing to it.
 */
#include <config.h>

#include "plan-draft-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-path.h"
#include "profile-source.h"

static const struct plan_entry *find_entry (const struct plan *plan, const char *path)
{
  for (size_t i = 0; i < plan->entry_count; i++)
    if (strcmp (plan->entries[i].path, path) == 0)
      return &plan->entries[i];
  return NULL;
}

static int append_entry (struct draft *draft, enum entry_kind kind, const char *path, const char *text)
{
  struct plan *plan = draft->plan;
  struct plan_entry *entries = realloc (plan->entries, (plan->entry_count + 1) * sizeof (*entries));
  struct plan_entry entry = { .kind = kind, .mode = kind == ENTRY_DIRECTORY ? 0755 : 0644 };

  /* runc gives a tmpfs the mode of the directory that it covers and ignores the mode option. */
  if (strcmp (path, "/tmp") == 0)
    entry.mode = 01777;
  if (entries == NULL)
    return error_oom (draft->err);
  plan->entries = entries;
  entry.path = strdup (path);
  entry.text = text ? strdup (text) : NULL;
  entries[plan->entry_count++] = entry;
  return entry.path != NULL && (text == NULL || entry.text != NULL) ? 0 : error_oom (draft->err);
}

static int add_parents (struct draft *draft, const char *path)
{
  for (const char *slash = strchr (path + 1, '/'); slash != NULL; slash = strchr (slash + 1, '/')) {
    cleanup_free char *parent = strndup (path, (size_t) (slash - path));
    const struct plan_entry *there;
    int r = 0;

    if (parent == NULL)
      return error_oom (draft->err);
    there = find_entry (draft->plan, parent);
    if (there != NULL && there->kind != ENTRY_DIRECTORY)
      return error_set (draft->err, -ENOTDIR, "'%s' cannot be made inside, as '%s' is not a directory there",
                        path, parent);
    if (there == NULL)
      r = append_entry (draft, ENTRY_DIRECTORY, parent, NULL);
    if (r < 0)
      return r;
  }
  return 0;
}

int draft_add_entry (struct draft *draft, enum entry_kind kind, const char *path, const char *text)
{
  const struct plan_entry *there = find_entry (draft->plan, path);
  int r;

  if (there != NULL && there->kind == kind)
    return 0;
  if (there != NULL)
    return error_set (draft->err, -EEXIST, "'%s' is needed inside as two different types of file", path);
  r = add_parents (draft, path);
  return r < 0 ? r : append_entry (draft, kind, path, text);
}

/* Files that programs expect and that must not be the host's. */
static int add_own_files (struct draft *draft)
{
  const struct plan *plan = draft->plan;
  cleanup_free char *passwd = str_format ("root:x:0:0:root:/root:/usr/sbin/nologin\n"
                                          "runner:x:%u:%u:runner:/workspace:/bin/sh\n"
                                          "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                                          plan->uid, plan->gid);
  cleanup_free char *group = str_format ("root:x:0:\nrunner:x:%u:\nnogroup:x:65534:\n", plan->gid);
  const struct {
    const char *path, *text;
  } files[] = {
    { "/etc/passwd", passwd },
    { "/etc/group", group },
    { "/etc/hostname", "tyrum\n" },
    { "/etc/hosts", "127.0.0.1 localhost tyrum\n::1 localhost\n" },
    { "/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n" },
    { "/etc/resolv.conf", "" },
  };

  for (size_t i = 0; i < ARRAY_LEN (files); i++) {
    int r = files[i].text ? draft_add_entry (draft, ENTRY_FILE, files[i].path, files[i].text)
                          : error_oom (draft->err);

    if (r < 0)
      return r;
  }
  return 0;
}

static int add_host_entry (struct draft *draft, const struct path_fact *fact)
{
  int r;

  if (fact->type == PATH_SYMLINK)
    return draft_add_entry (draft, ENTRY_SYMLINK, fact->path, fact->target);
  if (fact->type != PATH_DIRECTORY && fact->type != PATH_FILE)
    return 0;
  r = draft_add_entry (draft, fact->type == PATH_FILE ? ENTRY_FILE : ENTRY_DIRECTORY, fact->path,
                       fact->type == PATH_FILE ? "" : NULL);
  return r < 0 ? r : draft_add_bind (draft, fact, fact->path, false, !draft_is_noexec (draft, fact->path));
}

static int root_from_host (struct draft *draft)
{
  static const char *const directories[] = {
    "/dev", "/proc", "/sys", "/tmp", "/run", "/var", "/root", "/home"
  };
  const struct path_facts *found = &draft->host->root;
  int r = 0;

  if (path_facts_find (found, "/usr") == NULL)
    return error_set (draft->err, -ENOENT, "--rootfs host: this host has no /usr to build a root from");
  for (size_t i = 0; r == 0 && i < found->count; i++)
    r = add_host_entry (draft, &found->items[i]);
  for (size_t i = 0; r == 0 && i < ARRAY_LEN (directories); i++)
    r = draft_add_entry (draft, ENTRY_DIRECTORY, directories[i], NULL);
  return r < 0 ? r : add_own_files (draft);
}

static int root_from_directory (struct draft *draft)
{
  const char *path = draft->request->root_path;
  const struct path_fact *fact = path_facts_find (&draft->host->paths, path);
  const char *why;

  if (fact == NULL || fact->type == PATH_ABSENT)
    return error_set (draft->err, -ENOENT, "--rootfs: there is no directory '%s'", path);
  if (fact->type != PATH_DIRECTORY)
    return error_set (draft->err, -ENOTDIR, "--rootfs: '%s' is not a directory but %s", path,
                      path_type_text (fact->type));
  if (strcmp (fact->real, "/") == 0)
    return error_set (draft->err, -EPERM,
                      "--rootfs: '%s' is the host's own root; say --rootfs host for a safe one", path);
  if (source_classify (fact->real, &why) != SOURCE_PLAIN)
    return error_set (draft->err, -EPERM, "--rootfs: '%s' cannot be a root: %s", fact->real, why);
  draft->plan->root_device = fact->device;
  draft->plan->root_inode = fact->inode;
  draft->plan->root_path = strdup (fact->real);
  return draft->plan->root_path ? 0 : error_oom (draft->err);
}

int draft_root (struct draft *draft)
{
  struct plan *plan = draft->plan;

  plan->root = draft->request->root;
  if (plan->backend->images_only && plan->root != ROOT_FROM_IMAGE)
    return error_set (draft->err, -EINVAL,
                      "%s starts images: name one with --image, or as isolation.image in the profile",
                      plan->backend->name);
  plan->root_read_only = draft_value (draft, SETTING_ROOT)->level == ROOT_READ_ONLY;
  if (plan->root == ROOT_FROM_HOST)
    return root_from_host (draft);
  if (plan->root == ROOT_FROM_DIRECTORY)
    return root_from_directory (draft);
  plan->root_path = strdup (draft->request->root_path);
  return plan->root_path ? 0 : error_oom (draft->err);
}
