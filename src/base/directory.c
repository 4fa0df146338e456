/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-str.h"

/* Creates STATE with its missing parents. */
static int make_state (const char *state, struct error *err)
{
  cleanup_free char *path = strdup (state);

  if (path == NULL)
    return error_oom (err);
  if (path[0] == '\0')
    return error_set (err, -ENOENT,
                      "there is no state directory: neither XDG_STATE_HOME nor a home directory is set");
  for (char *slash = strchr (path + 1, '/');; slash = strchr (slash + 1, '/')) {
    if (slash != NULL)
      *slash = '\0';
    if (mkdir (path, 0700) < 0 && errno != EEXIST)
      return error_set_errno (err, errno, "cannot make the state directory '%s'", path);
    if (slash == NULL)
      return 0;
    *slash = '/';
  }
}

/* A directory that others can write cannot be trusted any more; read access for others is simply removed. */
static int check (int fd, const char *path, const char *what, bool repair, struct error *err)
{
  struct stat st;

  if (fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "cannot look at '%s'", path);
  if (st.st_uid != geteuid () || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return error_set (err, -EPERM,
                      "%s '%s' can be written by others: remove it, or name another state directory", what,
                      path);
  if (repair && (st.st_mode & 0777) != 0700 && fchmod (fd, 0700) < 0)
    return error_set_errno (err, errno, "cannot restrict the mode of '%s' to 0700", path);
  return 0;
}

static int open_own (const char *path, const char *what, bool repair, struct error *err)
{
  cleanup_close int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int r;

  if (fd < 0)
    return error_set_errno (err, errno, "cannot open '%s'", path);
  r = check (fd, path, what, repair, err);
  return r < 0 ? r : take_fd (&fd);
}

int directory_make_own (const char *state, const char *name, const char *what, struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s", state, name);
  int r;

  if (path == NULL)
    return error_oom (err);
  /* Usually the state directory exists, so try that first. */
  if (mkdir (path, 0700) < 0 && errno != EEXIST) {
    r = make_state (state, err);
    if (r == 0 && mkdir (path, 0700) < 0 && errno != EEXIST)
      r = error_set_errno (err, errno, "cannot make '%s'", path);
    if (r < 0)
      return r;
  }
  return open_own (path, what, true, err);
}

int directory_open_own (const char *state, const char *name, const char *what, struct error *err)
{
  cleanup_free char *path = str_format ("%s/%s", state, name);

  return path ? open_own (path, what, false, err) : error_oom (err);
}
