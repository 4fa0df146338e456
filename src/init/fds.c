/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-fds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init-listing.h"

/* The same number on every architecture; older headers lack it. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* The kernel's default for fs.nr_open, the upper bound of the limit. */
#define DESCRIPTORS_MAX (1024 * 1024)

int fds_from_name (const char *name)
{
  int fd = 0;

  if (*name == '\0')
    return -1;
  for (; *name; name++) {
    if (*name < '0' || *name > '9' || fd > (INT_MAX - 9) / 10)
      return -1;
    fd = fd * 10 + (*name - '0');
  }
  return fd;
}

/* The position in this directory is the descriptor's number, so closing while reading skips nothing. */
static int close_by_proc (int first)
{
  struct listing listing;
  const char *name;
  int r, directory = open ("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (directory < 0)
    return -errno;
  listing_start (&listing, directory);
  while ((r = listing_next (&listing, &name)) > 0) {
    int fd = fds_from_name (name);
    if (fd >= first && fd != directory)
      close (fd);
  }
  close (directory);
  return r;
}

/* The runtime may have lowered the limit after the descriptors were opened, so the loop goes to
 * DESCRIPTORS_MAX at least. */
static int close_by_number (int first)
{
  struct rlimit limit;
  rlim_t end = DESCRIPTORS_MAX;

  if (getrlimit (RLIMIT_NOFILE, &limit) < 0)
    return -errno;
  if (limit.rlim_max > end)
    end = limit.rlim_max > INT_MAX ? INT_MAX : limit.rlim_max;
  for (int fd = first; (rlim_t) fd < end; fd++)
    close (fd);
  return 0;
}

int fds_close_from (int first, struct failure *failure)
{
  if (syscall (SYS_close_range, (unsigned) first, UINT_MAX, 0) == 0)
    return 0;
  if (close_by_proc (first) == 0)
    return 0;
  int r = close_by_number (first);
  return r < 0 ? failure_set_errno (failure, -r, "cannot close stray descriptors", NULL) : 0;
}

int fds_fill_standard (struct failure *failure)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl (fd, F_GETFD) >= 0)
      continue;
    /* open takes the lowest free number, which is the missing stream's. */
    if (open ("/dev/null", O_RDWR) < 0)
      return failure_set_errno (failure, errno, "cannot open", "/dev/null");
  }
  return 0;
}

int fds_claim_socket (int fd, const char *text, struct failure *failure)
{
  struct stat status;

  if (fstat (fd, &status) < 0 || !S_ISSOCK (status.st_mode))
    return failure_set (failure, -ENOTSOCK, text, NULL);
  if (fcntl (fd, F_SETFD, FD_CLOEXEC) < 0)
    return failure_set_errno (failure, errno, "cannot set close-on-exec on a socket", NULL);
  return 0;
}

int fds_limit (unsigned count, struct failure *failure)
{
  const struct rlimit limit = { count, count };

  if (setrlimit (RLIMIT_NOFILE, &limit) < 0)
    return failure_set_errno (failure, errno, "cannot set the limit of open files", NULL);
  return 0;
}
