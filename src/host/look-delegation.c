/* Whether a group of cgroup v2 was delegated to this user, below which it can have limits of its own.
 *
 * The kernel lets a user make groups wherever a folder is the user's, but that is not yet a promise: the
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

static bool is_marked (const char *folder)
{
  char value[8] = "";
  ssize_t n = getxattr (folder, "user.delegate", value, sizeof (value) - 1);

  return n == 1 && value[0] == '1';
}

/* The processes in FOLDER, without OWN; SIZE_MAX when that cannot be told. */
static size_t count_others (const char *folder, pid_t own)
{
  cleanup_free char *path = str_format ("%s/cgroup.procs", folder);
  cleanup_free char *text = path ? look_text (path) : NULL;
  char *cursor = text;
  size_t count = 0;

  if (text == NULL)
    return SIZE_MAX;
  for (const char *line = look_line (&cursor); line != NULL; line = look_line (&cursor)) {
    uint64_t pid;

    if (!number_parse (line, INT32_MAX, &pid) || (pid_t) pid != own)
      count++;
  }
  return count;
}

static bool is_ours (const char *folder)
{
  static const char *const files[] = { ".", "cgroup.procs", "cgroup.subtree_control" };

  for (size_t i = 0; i < ARRAY_LEN (files); i++) {
    cleanup_free char *path = str_format ("%s/%s", folder, files[i]);

    if (path == NULL || faccessat (AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
      return false;
  }
  return is_marked (folder);
}

static bool is_managers (const char *folder)
{
  cleanup_free char *path = str_format ("%s/" MANAGER_GROUP, folder);

  return path == NULL || access (path, F_OK) == 0;
}

static int take_controllers (const char *folder, struct strlist *controllers)
{
  cleanup_free char *path = str_format ("%s/cgroup.controllers", folder);
  cleanup_free char *text = path ? look_text (path) : NULL;
  char *rest = NULL;

  if (path == NULL)
    return -ENOMEM;
  for (char *word = text ? strtok_r (text, " \n", &rest) : NULL; word != NULL;
       word = strtok_r (NULL, " \n", &rest))
    if (strset_add (controllers, word) < 0)
      return -ENOMEM;
  return 0;
}

int look_delegation (const char *mount, const char *group, struct host_facts *facts)
{
  cleanup_free char *folder = str_format ("%s%s", mount, group);
  size_t end = strlen (mount);

  if (folder == NULL)
    return -ENOMEM;
  /* The root of the tree is nobody's to delegate. */
  if (strlen (folder) <= end)
    return 0;
  if (!is_ours (folder) || count_others (folder, getpid ()) != 0) {
    *strrchr (folder, '/') = '\0';
    if (strlen (folder) <= end || !is_ours (folder) || count_others (folder, 0) != 0 || is_managers (folder))
      return 0;
  }
  facts->cgroup_delegated = strdup (folder + end);
  return facts->cgroup_delegated ? take_controllers (folder, &facts->cgroup_controllers) : -ENOMEM;
}
