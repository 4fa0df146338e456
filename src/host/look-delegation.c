/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a group of cgroup v2 is delegated to this user, below which it can set its own limits.
 *
 * The kernel lets a user create groups wherever a directory belongs to the user, but the manager of the tree
 * may remove controllers there at any time. Groups that it leaves alone have the attribute user.delegate
 * (systemd's Delegate=yes). A group whose children are limited may hold no process. So there are two usable
 * cases: our own group is delegated and holds only this process, which can move into a child; or our group is
 * the child of a delegated group that holds no process.
 */
#include <config.h>

#include "host-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-number.h"
#include "base-str.h"

/* The group of a manager itself, inside the group that was delegated to it exclusively. */
#define MANAGER_GROUP "init.scope"

static bool is_marked (const char *directory)
{
  char value[8] = "";
  ssize_t n = getxattr (directory, "user.delegate", value, sizeof (value) - 1);

  return n == 1 && value[0] == '1';
}

/* Reads a file of the group DIRECTORY; NULL when we cannot. */
static int group_file (const char *directory, const char *name, char **ret_text)
{
  cleanup_free char *path = str_format ("%s/%s", directory, name);
  struct error failed = { 0 };
  int r = path ? look_text (path, ret_text, &failed) : -ENOMEM;

  error_clear (&failed);
  return r;
}

/* The number of processes in DIRECTORY without OWN; SIZE_MAX when they are not visible. */
static int count_others (const char *directory, pid_t own, size_t *ret_count)
{
  cleanup_free char *text = NULL;
  size_t count = 0;
  char *cursor;
  int r = group_file (directory, "cgroup.procs", &text);

  *ret_count = SIZE_MAX;
  if (r < 0 || text == NULL)
    return r;
  cursor = text;
  for (const char *line = look_line (&cursor); line != NULL; line = look_line (&cursor)) {
    uint64_t pid;

    if (!number_parse (line, INT32_MAX, &pid) || (pid_t) pid != own)
      count++;
  }
  *ret_count = count;
  return 0;
}

static int is_ours (const char *directory, bool *ret_ours)
{
  static const char *const files[] = { ".", "cgroup.procs", "cgroup.subtree_control" };
  bool writable = true;
  int r = 0;

  for (size_t i = 0; r == 0 && writable && i < ARRAY_LEN (files); i++)
    r = look_access (directory, files[i], W_OK, &writable);
  *ret_ours = r == 0 && writable && is_marked (directory);
  return r;
}

/* Whether a run's group can be created in DIRECTORY: it is delegated to us and holds no process but OWN. */
static int is_free (const char *directory, pid_t own, bool *ret_free)
{
  size_t others = SIZE_MAX;
  bool ours = false;
  int r = is_ours (directory, &ours);

  if (r == 0 && ours)
    r = count_others (directory, own, &others);
  *ret_free = r == 0 && ours && others == 0;
  return r;
}

static int take_controllers (const char *directory, struct strlist *controllers)
{
  cleanup_free char *text = NULL;
  int r = group_file (directory, "cgroup.controllers", &text);

  return r < 0 ? r : look_words (text, controllers);
}

int look_delegation (const char *mount, const char *group, struct host_facts *facts)
{
  cleanup_free char *directory = str_format ("%s%s", mount, group);
  bool free_group = false, managers = true;
  size_t end = strlen (mount);
  int r;

  if (directory == NULL)
    return -ENOMEM;
  /* The root of the tree cannot be delegated. */
  if (strlen (directory) <= end)
    return 0;
  r = is_free (directory, getpid (), &free_group);
  if (r == 0 && !free_group) {
    *strrchr (directory, '/') = '\0';
    if (strlen (directory) <= end)
      return 0;
    r = is_free (directory, 0, &free_group);
    if (r == 0 && free_group)
      r = look_access (directory, MANAGER_GROUP, F_OK, &managers);
    free_group = free_group && !managers;
  }
  if (r < 0 || !free_group)
    return r;
  facts->cgroup_delegated = strdup (directory + end);
  return facts->cgroup_delegated ? take_controllers (directory, &facts->cgroup_controllers) : -ENOMEM;
}
