/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define HARMLESS (O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)

/* null, zero, random and others; see the kernel's list of devices. */
#define MAJOR_MEMORY 1

#define PROC "/proc"

/* From the kernel's linux/magic.h, which musl lacks. */
#define PROC_MAGIC 0x9fa0

int path_asked (const struct asked *asked, char ret_path[PATH_MAX])
{
  if (asked->length == 0)
    return -ENOENT;
  if (asked->length >= PATH_MAX)
    return -ENAMETOOLONG;
  if (memchr (asked->bytes, '\0', asked->length))
    return -EINVAL;
  memcpy (ret_path, asked->bytes, asked->length);
  ret_path[asked->length] = '\0';
  return 0;
}

int path_look (const struct asked *asked, char ret_path[PATH_MAX], struct stat *ret_status)
{
  int r = path_asked (asked, ret_path);

  if (r < 0)
    return r;
  return lstat (ret_path, ret_status) < 0 ? -errno : 0;
}

int path_open (const char *path, int flags)
{
  /* musl's open makes a second call for O_CLOEXEC. */
  long fd = syscall (SYS_openat, AT_FDCWD, path, flags | HARMLESS, 0);

  return fd < 0 ? -errno : (int) fd;
}

static int check_harmless (const struct stat *status)
{
  if (S_ISREG (status->st_mode) || S_ISDIR (status->st_mode)
      || (S_ISCHR (status->st_mode) && major (status->st_rdev) == MAJOR_MEMORY))
    return 0;
  return S_ISLNK (status->st_mode) ? -ELOOP : -EOPNOTSUPP;
}

int path_open_harmless (const char *path, int flags, const struct stat *looked, struct stat *ret_status)
{
  int r = check_harmless (looked);

  if (r < 0)
    return r;
  int fd = path_open (path, flags);
  if (fd < 0)
    return fd;
  /* The workspace may change between lstat and open, so check what was opened. */
  r = fstat (fd, ret_status) < 0 ? -errno : check_harmless (ret_status);
  if (r < 0) {
    close (fd);
    return r;
  }
  return fd;
}

static bool is_in_proc (const char *path)
{
  size_t len = sizeof PROC - 1;

  return strncmp (path, PROC, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The device of the kernel's /proc. -EXDEV if another file system is mounted there. */
static int find_proc (dev_t *ret_device)
{
  struct statfs system;
  struct stat directory;

  if (lstat (PROC, &directory) < 0 || statfs (PROC, &system) < 0)
    return -errno;
  if (system.f_type != PROC_MAGIC)
    return -EXDEV;
  *ret_device = directory.st_dev;
  return 0;
}

int path_check_proc (const char *path, const struct stat *status)
{
  /* Determined once: if /proc is replaced later, no file matches. */
  static dev_t device;
  static bool known;

  if (!is_in_proc (path))
    return 0;
  if (!known) {
    int r = find_proc (&device);
    if (r < 0)
      return r;
    known = true;
  }
  return status->st_dev == device ? 0 : -EXDEV;
}
