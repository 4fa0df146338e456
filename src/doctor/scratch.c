/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "doctor-scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-file.h"
#include "base-str.h"

#define REMOVE_MAX 64 /* nesting depth; deeper directories that a command created are left */

int scratch_make (struct scratch *scratch, struct error *err)
{
  const char *base = secure_getenv ("TMPDIR");
  cleanup_free char *given =
      str_format ("%s/tyrum-oci-XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp");

  if (given == NULL)
    return error_oom (err);
  if (mkdtemp (given) == NULL)
    return error_set_errno (err, errno, "cannot create the temporary directory '%s'", given);
  /* Resolved, because mounts need a path without links. */
  scratch->path = realpath (given, NULL);
  return scratch->path ? 0 : error_set_errno (err, errno, "cannot resolve '%s'", given);
}

int scratch_directory (const struct scratch *scratch, const char *name, char **ret_path, struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s", scratch->path, name);

  if (path == NULL)
    return error_oom (err);
  if (mkdir (path, 0755) < 0)
    return error_set_errno (err, errno, "cannot create '%s'", path);
  *ret_path = take_ptr (path);
  return 0;
}

int scratch_file (const struct scratch *scratch, const char *name, const char *text, mode_t mode,
                  char **ret_path, struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s", scratch->path, name);
  int r;

  if (path == NULL)
    return error_oom (err);
  r = file_write_atomic (AT_FDCWD, path, text, strlen (text), mode, err);
  if (r == 0)
    *ret_path = take_ptr (path);
  return r;
}

/* Empties the directory FD and closes it. What cannot be removed stays, and so do mounts below it. */
static void empty_directory (int fd, unsigned depth)
{
  DIR *dir = fdopendir (fd);
  const struct dirent *entry;

  if (dir == NULL) {
    close (fd);
    return;
  }
  while ((entry = readdir (dir)) != NULL) {
    int inner;

    if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0
        || unlinkat (dirfd (dir), entry->d_name, 0) == 0 || depth == 0)
      continue;
    inner = file_open_unmounted (dirfd (dir), entry->d_name);
    if (inner < 0)
      continue;
    empty_directory (inner, depth - 1);
    unlinkat (dirfd (dir), entry->d_name, AT_REMOVEDIR);
  }
  closedir (dir);
}

void scratch_clear (struct scratch *scratch)
{
  int fd = scratch->path ? open (scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;

  if (fd >= 0)
    empty_directory (fd, REMOVE_MAX);
  if (scratch->path != NULL)
    rmdir (scratch->path);
  free (scratch->path);
  scratch->path = NULL;
}
