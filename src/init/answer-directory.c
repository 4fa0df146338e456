/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "init-answer.h"
#include "init-listing.h"
#include "init-path.h"

/* Used where O_TMPFILE is not supported. The name need not be secret: nothing is kept there. No leading dot,
 * which some file systems refuse. */
#define PROBE_NAME  "tyrum-oci-probe-"
#define PROBE_TRIES 8

/* stat is slow for entries of /proc, and only their type is needed. (In other directories a device may be
 * mounted on a file.) */
static bool in_proc (const char *path)
{
  return strcmp (path, "/proc") == 0 || strncmp (path, "/proc/", 6) == 0;
}

static int add_entry (int directory, const char *name, unsigned type, struct answers *answers)
{
  struct stat status;
  struct report_entry entry = { .name_length = (uint32_t) strlen (name), .mode = DTTOIF (type) };

  /* An entry that cannot be examined is still listed, with mode 0. */
  if (type == DT_UNKNOWN && fstatat (directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
    entry.rdev = (uint64_t) major (status.st_rdev) << 32 | minor (status.st_rdev);
    entry.mode = status.st_mode;
  }
  int r = answers_add (answers, &entry, sizeof entry);
  return r < 0 ? r : answers_add (answers, name, entry.name_length);
}

static int add_entries (const char *path, int directory, struct answers *answers)
{
  struct listing listing;
  struct stat status;
  const char *name;
  unsigned count = 0;
  int r = fstat (directory, &status) < 0 ? -errno : path_check_proc (path, &status);

  if (r < 0)
    return r;
  listing_start (&listing, directory);
  while ((r = listing_next (&listing, &name)) > 0) {
    unsigned type = in_proc (path) ? listing.type : DT_UNKNOWN;

    r = count++ < LIMIT_REPORT_LIST_ENTRIES ? add_entry (directory, name, type, answers) : -E2BIG;
    if (r < 0)
      break;
  }
  return r;
}

int answer_list (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  int r = path_asked (asked, path);

  if (r < 0)
    return r;
  int directory = path_open (path, O_RDONLY | O_DIRECTORY);
  if (directory < 0)
    return directory;
  r = add_entries (path, directory, answers);
  close (directory);
  return r;
}

/* Makes and removes a directory. -EEXIST only if every name is taken. */
static int make_directory (int parent)
{
  char name[] = PROBE_NAME "0";
  int r = -EEXIST;

  for (int i = 0; i < PROBE_TRIES && r == -EEXIST; i++) {
    name[sizeof PROBE_NAME - 1] = (char) ('0' + i);
    r = mkdirat (parent, name, 0700) < 0 ? -errno : 0;
  }
  if (r == 0)
    unlinkat (parent, name, AT_REMOVEDIR);
  return r;
}

static int make_directory_in (const char *path)
{
  int parent = path_open (path, O_PATH | O_DIRECTORY);

  if (parent < 0)
    return parent;
  int r = make_directory (parent);
  close (parent);
  return r;
}

int answer_create (const struct asked *asked, struct answers *answers)
{
  char path[PATH_MAX];
  int r = path_asked (asked, path);

  (void) answers;
  if (r < 0)
    return r;
  /* With O_EXCL the file can never be linked to a name. */
  long fd =
      syscall (SYS_openat, AT_FDCWD, path, O_TMPFILE | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) {
    close ((int) fd);
    return 0;
  }
  switch (errno) {
  case EOPNOTSUPP: /* the file system does not support O_TMPFILE */
  case EISDIR:     /* the kernel does not either */
  case EINVAL: return make_directory_in (path);
  default: return -errno;
  }
}
