#include <config.h>

#include "init-search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

/* FOLDER of LEN bytes, a slash, NAME. An empty folder is the working folder. */
static bool join (char candidate[PATH_MAX], const char *folder, size_t len, const char *name)
{
  size_t name_len = strlen (name);

  if (len > PATH_MAX || name_len > PATH_MAX || len + name_len + 2 > PATH_MAX)
    return false;
  memcpy (candidate, folder, len);
  if (len > 0)
    candidate[len++] = '/';
  memcpy (candidate + len, name, name_len + 1);
  return true;
}

/* EACCES is also what a folder says that may not be looked into, and what every folder says to an exec. */
static bool is_file (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISREG (status.st_mode);
}

bool search_find (const char *name, char ret_path[PATH_MAX])
{
  const char *folder = getenv ("PATH");

  if (!folder)
    folder = PATH_DEFAULT;
  for (;;) {
    size_t len = strcspn (folder, ":");

    if (len > 0 && join (ret_path, folder, len, name) && is_file (ret_path))
      return true;
    if (folder[len] == '\0')
      return false;
    folder += len + 1;
  }
}

int search_exec (char *const argv[])
{
  const char *name = argv[0], *folder = getenv ("PATH");
  bool refused = false;

  if (strchr (name, '/')) {
    execve (name, argv, environ);
    return -errno;
  }
  if (!folder)
    folder = PATH_DEFAULT;
  for (;;) {
    char candidate[PATH_MAX];
    size_t len = strcspn (folder, ":");

    if (join (candidate, folder, len, name)) {
      execve (candidate, argv, environ);
      if (errno == EACCES)
        refused = refused || is_file (candidate);
      else if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
        return -errno;
    }
    if (folder[len] == '\0')
      return refused ? -EACCES : -ENOENT;
    folder += len + 1;
  }
}
