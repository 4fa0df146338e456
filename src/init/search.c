/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

/* DIRECTORY of LEN bytes, a slash, NAME. An empty directory is the working directory. */
static bool join (char candidate[PATH_MAX], const char *directory, size_t len, const char *name)
{
  size_t name_len = strlen (name);

  if (len > PATH_MAX || name_len > PATH_MAX || len + name_len + 2 > PATH_MAX)
    return false;
  memcpy (candidate, directory, len);
  if (len > 0)
    candidate[len++] = '/';
  memcpy (candidate + len, name, name_len + 1);
  return true;
}

/* exec fails with EACCES also for a directory that cannot be searched, and for every directory itself. */
static bool is_file (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISREG (status.st_mode);
}

bool search_find (const char *name, char ret_path[PATH_MAX])
{
  const char *directory = getenv ("PATH");

  if (!directory)
    directory = PATH_DEFAULT;
  for (;;) {
    size_t len = strcspn (directory, ":");

    if (len > 0 && join (ret_path, directory, len, name) && is_file (ret_path))
      return true;
    if (directory[len] == '\0')
      return false;
    directory += len + 1;
  }
}

int search_exec (char *const argv[])
{
  const char *name = argv[0], *directory = getenv ("PATH");
  bool refused = false;

  if (strchr (name, '/')) {
    execve (name, argv, environ);
    return -errno;
  }
  if (!directory)
    directory = PATH_DEFAULT;
  for (;;) {
    char candidate[PATH_MAX];
    size_t len = strcspn (directory, ":");

    if (join (candidate, directory, len, name)) {
      execve (candidate, argv, environ);
      if (errno == EACCES)
        refused = refused || is_file (candidate);
      else if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
        return -errno;
    }
    if (directory[len] == '\0')
      return refused ? -EACCES : -ENOENT;
    directory += len + 1;
  }
}
