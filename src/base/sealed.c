/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base-cleanup.h"

/* Exactly these: libcrun compares for equality. */
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3 */
#endif

bool sealed_is (int fd)
{
  struct statvfs fs;
  int seals = fcntl (fd, F_GET_SEALS);

  /* Further seals are fine, so that every result of sealed_copy passes. */
  if (seals >= 0)
    return (seals & SEALS) == SEALS;
  return fstatvfs (fd, &fs) < 0 || (fs.f_flag & ST_RDONLY) != 0;
}

static int memory_file (void)
{
  int fd = memfd_create ("tyrum-oci-sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

  if (fd < 0 && errno == EINVAL)
    fd = memfd_create ("tyrum-oci-sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return fd;
}

static int copy (int from, int to)
{
  struct stat st;
  off_t at = 0;

  if (fstat (from, &st) < 0)
    return -errno;
  if (!S_ISREG (st.st_mode))
    return S_ISDIR (st.st_mode) ? -EISDIR : -EINVAL;
  while (at < st.st_size) {
    ssize_t n = sendfile (to, from, &at, (size_t) (st.st_size - at));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    /* The file was truncated meanwhile. */
    if (n == 0)
      return -EIO;
  }
  return 0;
}

int sealed_copy (int fd)
{
  cleanup_close int sealed = memory_file ();
  int r;

  if (sealed < 0)
    return -errno;
  r = copy (fd, sealed);
  if (r < 0)
    return r;
  if (fcntl (sealed, F_ADD_SEALS, SEALS) < 0)
    return -errno;
  return take_fd (&sealed);
}
