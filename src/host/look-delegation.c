/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a group of cgroup v2 was delegated to this user, below which it can have limits of its own.
 *
 * The kernel lets a user make groups wherever a directory is the user's, but that is not yet a promise: the
 * manager of the tree may take controllers away again at any time. What it leaves alone it marks with the
 * attribute user.delegate (systemd's Delegate=yes). And a group whose children are limited may hold no
 * process. So there are two ways to have one: our own group is delegated, and nobody is in it but us, who
 * can leave it for a child; or it is the child of a delegated group that holds no process.
 */
#include <config.h>

#include "host-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-number.h"
#include "base-str.h"

/* Where a manager is itself, in the group that was delegated to it and is no one else's. */
#define MANAGER_GROUP "init.scope"

static bool is_marked (const char *directory)
{
  char value[8] = "";
  ssize_t n = getxattr (directory, "user.delegate", value, sizeof (value) - 1);

  return n == 1 && value[0] == '1';
}

/* A file of the group DIRECTORY; NULL when it is not for us. */
static int group_file (const char *directory, const char *name, char **ret_text)
{
  cleanup_free char *path = str_format ("%s/%s", directory, name);
  struct error failed = { 0 };
  int r = path ? look_text (path, ret_text, &failed) : -ENOMEM;

  error_clear (&failed);
  return r;
}

/* The processes in DIRECTORY, without OWN; SIZE_MAX when they are not for us to see. */
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

/* Whether a run's group can be made in DIRECTORY: it is ours, and nobody but OWN is in it. */
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
  char *rest = NULL;
  int r = group_file (directory, "cgroup.controllers", &text);

  if (r < 0)
    return r;
  for (char *word = text ? strtok_r (text, " \n", &rest) : NULL; word != NULL;
       word = strtok_r (NULL, " \n", &rest))
    if (strset_add (controllers, word) < 0)
      return -ENOMEM;
  return 0;
}

int look_delegation (const char *mount, const char *group, struct host_facts *facts)
{
  cleanup_free char *directory = str_format ("%s%s", mount, group);
  bool free_group = false, managers = true;
  size_t end = strlen (mount);
  int r;

  if (directory == NULL)
    return -ENOMEM;
  /* The root of the tree is nobody's to delegate. */
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
