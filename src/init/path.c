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

/* null, zero, random and their like; see the kernel's list of devices. */
#define MAJOR_MEMORY 1

#define PROC "/proc/"

/* From the kernel's linux/magic.h, which musl does not bring. */
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

int path_look (const char *path, struct stat *ret_status)
{
  return lstat (path, ret_status) < 0 ? -errno : 0;
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

int path_open_harmless (const char *path, int flags, struct stat *ret_status)
{
  struct stat status;
  int r = path_look (path, &status);

  if (r == 0)
    r = check_harmless (&status);
  if (r < 0)
    return r;
  int fd = path_open (path, flags);
  if (fd < 0)
    return fd;
  /* Others may write where the container looks: a workspace. What was opened is what counts. */
  r = fstat (fd, ret_status) < 0 ? -errno : check_harmless (ret_status);
  if (r < 0) {
    close (fd);
    return r;
  }
  return fd;
}

int path_check_proc (const char *path, int fd)
{
  struct statfs status;

  if (strncmp (path, PROC, sizeof PROC - 1) != 0)
    return 0;
  if (fstatfs (fd, &status) < 0)
    return -errno;
  return status.f_type == PROC_MAGIC ? 0 : -EXDEV;
}
