/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-listing.h"
#include "init-path.h"

/* The kernel sets this bit to mark the flags as valid; statvfs hides it. */
#define ST_VALID 0x20

static uint64_t number_of (dev_t device)
{
  return (uint64_t) major (device) << 32 | minor (device);
}

static ssize_t read_some (int fd, void *data, size_t size)
{
  ssize_t got;

  do
    got = read (fd, data, size);
  while (got < 0 && errno == EINTR);
  return got < 0 ? -errno : got;
}

/* Kernel files report no size, so they are read to the end. */
static int read_whole (int fd, struct answers *answers)
{
  size_t room = answers_room (answers);
  size_t most = room < LIMIT_REPORT_FILE_BYTES ? room : LIMIT_REPORT_FILE_BYTES;
  ssize_t got;

  do {
    got = read_some (fd, answers_end (answers), most);
    if (got > 0)
      answers_grow (answers, (size_t) got);
    most -= got > 0 ? (size_t) got : 0;
  } while (got > 0 && most > 0);
  if (got > 0 || room == 0) {
    char more;
    got = read_some (fd, &more, 1);
    if (got > 0)
      got = room < LIMIT_REPORT_FILE_BYTES ? -ENOBUFS : -E2BIG;
  }
  return (int) got;
}

static int read_opened (const char *path, int fd, const struct stat *status, struct answers *answers)
{
  int r = path_check_proc (path, status);

  if (r < 0)
    return r;
  if (!S_ISREG (status->st_mode))
    return S_ISDIR (status->st_mode) ? -EISDIR : -EOPNOTSUPP;
  return read_whole (fd, answers);
}

int answer_file (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  struct stat looked, opened;
  int r = path_look (asked, path, &looked);

  if (r < 0)
    return r;
  int fd = path_open_harmless (path, O_RDONLY, &looked, &opened);
  if (fd < 0)
    return fd;
  r = read_opened (path, fd, &opened, answers);
  close (fd);
  return r;
}

int answer_link (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX], text[PATH_MAX];
  struct stat status;
  int r = path_look (asked, path, &status);

  if (r == 0)
    r = path_check_proc (path, &status);
  if (r < 0)
    return r;
  ssize_t len = readlink (path, text, sizeof text);
  return len < 0 ? -errno : answers_add (answers, text, (size_t) len);
}

/* 0, 1, or 2 for more than one entry. */
static int count_entries (int fd)
{
  struct listing listing;
  const char *name;
  int r = 1, count;

  listing_start (&listing, fd);
  for (count = 0; count < 2 && r > 0; count += r > 0)
    r = listing_next (&listing, &name);
  return r < 0 ? r : count;
}

static int look_inside (int fd, const struct stat *status)
{
  char byte;

  return S_ISDIR (status->st_mode) ? count_entries (fd) : (int) read_some (fd, &byte, 1);
}

static void fill_look (const struct stat *status, struct report_look *ret_look)
{
  /* Clears the padding too: it leaves the process. */
  memset (ret_look, 0, sizeof *ret_look);
  ret_look->device = number_of (status->st_dev);
  ret_look->inode = status->st_ino;
  ret_look->rdev = number_of (status->st_rdev);
  ret_look->mode = status->st_mode;
  ret_look->uid = status->st_uid;
  ret_look->gid = status->st_gid;
}

int answer_see (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  struct report_look look;
  struct stat status;
  int r = path_look (asked, path, &status);

  if (r < 0)
    return r;
  fill_look (&status, &look);
  return answers_add (answers, &look, sizeof look);
}

int answer_look (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  struct stat status, opened;
  struct report_look look;
  int r = path_look (asked, path, &status);

  if (r < 0)
    return r;
  fill_look (&status, &look);
  int fd = path_open_harmless (path, O_RDONLY, &status, &opened);
  if (fd < 0) {
    look.open_errnum = -fd;
  } else {
    look.content = look_inside (fd, &opened);
    close (fd);
  }
  return answers_add (answers, &look, sizeof look);
}

/* Saturates: a file system can report any size. */
static uint64_t size_of (const struct statfs *status)
{
  uint64_t unit = (uint64_t) (status->f_frsize ? status->f_frsize : status->f_bsize);
  uint64_t bytes;

  return __builtin_mul_overflow ((uint64_t) status->f_blocks, unit, &bytes) ? UINT64_MAX : bytes;
}

int answer_statfs (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  struct stat looked;
  struct statfs status;
  int r = path_look (asked, path, &looked);

  if (r == 0 && S_ISLNK (looked.st_mode))
    r = -ELOOP;
  if (r < 0)
    return r;
  if (statfs (path, &status) < 0)
    return -errno;
  struct report_statfs report = { .type = (uint64_t) status.f_type,
                                  .bytes = size_of (&status),
                                  .flags = (uint64_t) status.f_flags & ~(uint64_t) ST_VALID };
  return answers_add (answers, &report, sizeof report);
}

int answer_open_write (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  struct stat looked, opened;
  int r = path_look (asked, path, &looked);

  (void) answers;
  if (r < 0)
    return r;
  int fd = path_open_harmless (path, O_WRONLY, &looked, &opened);
  if (fd < 0)
    return fd;
  close (fd);
  return 0;
}
