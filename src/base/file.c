/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-cleanup.h"
#include "base-namespace.h"
#include "base-path.h"
#include "base-str.h"

/* O_NONBLOCK: opening a FIFO would otherwise wait for its other end before fstat can reject it. */
#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* The limit of the kernel (MAXSYMLINKS). */
#define LINKS_MAX 40

static int check_readable (const struct stat *st, const char *path, size_t max, struct error *err)
{
  if (S_ISDIR (st->st_mode))
    return error_set (err, -EISDIR, "cannot read '%s': it is a directory", path);
  if (!S_ISREG (st->st_mode))
    return error_set (err, -EINVAL, "cannot read '%s': not a regular file", path);
  if (st->st_size > 0 && (uintmax_t) st->st_size > max)
    return error_set (err, -EFBIG, "cannot read '%s': larger than %zu bytes", path, max);
  return 0;
}

/* Grows the buffer, but never beyond MAX + 1 bytes and a NUL: the byte past MAX shows
 * that the file is too large. */
static int grow (char **text, size_t *size, size_t max)
{
  size_t wanted = *size > (max + 1) / 2 ? max + 1 : *size * 2;
  char *grown = realloc (*text, wanted + 1);

  if (grown == NULL)
    return -ENOMEM;
  *text = grown;
  *size = wanted;
  return 0;
}

static int read_all (int fd, const char *path, size_t expected, size_t max, char **ret_text, size_t *ret_len,
                     struct error *err)
{
  /* One byte more than expected, so that read reports the end of an ordinary file
   * without growing the buffer. */
  size_t size = expected > 0 ? expected + 1 : (max < 4096 ? max + 1 : 4096);
  cleanup_free char *text = malloc (size + 1);
  size_t len = 0;

  if (text == NULL)
    return error_oom (err);
  for (;;) {
    ssize_t n = read (fd, text + len, size - len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return error_set_errno (err, errno, "cannot read '%s'", path);
    if (n == 0)
      break;
    len += (size_t) n;
    if (len > max)
      return error_set (err, -EFBIG, "cannot read '%s': larger than %zu bytes", path, max);
    if (len == size && grow (&text, &size, max) < 0)
      return error_oom (err);
  }
  text[len] = '\0';
  *ret_text = take_ptr (text);
  if (ret_len != NULL)
    *ret_len = len;
  return 0;
}

/* Leaves room for the arithmetic above. */
static size_t bounded (size_t max)
{
  return max < SIZE_MAX / 4 ? max : SIZE_MAX / 4;
}

int file_read (int dirfd, const char *path, size_t max, char **ret_text, size_t *ret_len, struct error *err)
{
  cleanup_close int fd = openat (dirfd, path, READ_FLAGS);
  struct stat st;
  int r;

  if (fd < 0 || fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "cannot read '%s'", path);
  max = bounded (max);
  r = check_readable (&st, path, max, err);
  if (r < 0)
    return r;
  return read_all (fd, path, (size_t) st.st_size, max, ret_text, ret_len, err);
}

/* Resolution of a path component by component, so that each can be checked. */
struct walk {
  int fd;                 /* the current directory */
  char *rest;             /* the remaining path */
  unsigned links;         /* followed so far */
  bool open_directory;    /* others may create names in the current directory */
  bool trusted;           /* so far */
  bool users;             /* the host's root is not mapped here */
  const char *hostile;    /* files in this directory are untrusted; NULL for none */
  struct strlist *places; /* locations of the links and the file; NULL: not wanted */
  bool failed;            /* memory ran out */
};

static void walk_clear (struct walk *walk)
{
  close_p (&walk->fd);
  free (walk->rest);
}

/* Whether root or our own user owns it; where root is not mapped, an unmapped owner counts too. A link has
 * the owner of its directory, unless others may create names there. */
static bool owner_counts (const struct walk *walk, int fd, const struct stat *st)
{
  if (st->st_uid == 0 || st->st_uid == geteuid ())
    return true;
  if (!walk->users || st->st_uid != NAMESPACE_NOBODY)
    return false;
  if (S_ISLNK (st->st_mode))
    return !walk->open_directory;
  return (S_ISDIR (st->st_mode) || S_ISREG (st->st_mode)) && namespace_owner_is_outside (fd);
}

/* An ACL that lets others write shows in the group bits, which are its mask. */
static void judge (struct walk *walk, int fd, const struct stat *st)
{
  bool writable = !S_ISLNK (st->st_mode) && (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;

  if (!owner_counts (walk, fd, st))
    walk->trusted = false;
  if (writable && !(S_ISDIR (st->st_mode) && (st->st_mode & S_ISVTX) != 0))
    walk->trusted = false;
  /* In a sticky directory any user can create a hard link to a trusted file. */
  if (walk->open_directory && !S_ISDIR (st->st_mode) && st->st_nlink > 1)
    walk->trusted = false;
}

bool file_place_is_within (const char *place, const char *directory)
{
  return place[0] != '/' || path_is_within (place, directory);
}

/* Uses the descriptor, because the name may lead elsewhere by now. An unknown location is untrusted. */
static void judge_place (struct walk *walk, int fd)
{
  char name[64], real[PATH_MAX];
  ssize_t len;

  if (walk->hostile == NULL && walk->places == NULL)
    return;
  snprintf (name, sizeof (name), "/proc/self/fd/%d", fd);
  len = readlink (name, real, sizeof (real) - 1);
  real[len > 0 ? len : 0] = '\0';
  if (walk->hostile != NULL && file_place_is_within (real, walk->hostile))
    walk->trusted = false;
  walk->failed = walk->failed || (walk->places != NULL && strlist_add (walk->places, real) < 0);
}

/* Makes FD the current directory; the walk owns FD in every case. */
static int enter (struct walk *walk, int fd)
{
  struct stat st;

  close_p (&walk->fd);
  walk->fd = fd;
  if (fd < 0 || fstat (fd, &st) < 0)
    return -errno;
  judge (walk, fd, &st);
  walk->open_directory = (st.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return 0;
}

static int walk_start (struct walk *walk, const char *path)
{
  if (path[0] == '\0')
    return -ENOENT;
  if (path[0] == '/')
    walk->rest = strdup (path);
  else {
    cleanup_free char *directory = getcwd (NULL, 0);

    /* A working directory that was removed, or lies outside our root, has no path. */
    if (directory == NULL || directory[0] != '/')
      return directory == NULL ? -errno : -ENOENT;
    walk->rest = str_format ("%s/%s", directory, path);
  }
  if (walk->rest == NULL)
    return -ENOMEM;
  return enter (walk, open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Removes the next name from the rest; false at the end. *RET_LAST: only slashes follow. */
static bool next_name (struct walk *walk, char name[NAME_MAX + 1], bool *ret_last, int *ret_error)
{
  const char *start = walk->rest + strspn (walk->rest, "/");
  size_t len = strcspn (start, "/");
  size_t left = strlen (start + len);

  *ret_error = len > NAME_MAX ? -ENAMETOOLONG : 0;
  if (len == 0 || len > NAME_MAX)
    return false;
  memcpy (name, start, len);
  name[len] = '\0';
  *ret_last = left == 0;
  memmove (walk->rest, start + len, left + 1);
  return true;
}

static int follow (struct walk *walk, int link_fd)
{
  char target[PATH_MAX];
  ssize_t len = readlinkat (link_fd, "", target, sizeof (target) - 1);
  char *rest;

  if (len < 0)
    return -errno;
  if (len == 0 || (size_t) len >= sizeof (target) - 1)
    return -ENAMETOOLONG;
  if (++walk->links > LINKS_MAX)
    return -ELOOP;
  target[len] = '\0';
  rest = str_format ("%s%s", target, walk->rest);
  if (rest == NULL)
    return -ENOMEM;
  free (walk->rest);
  walk->rest = rest;
  if (target[0] == '/')
    return enter (walk, open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return 0;
}

/* Resolves the rest of the path and opens its last component. */
static int walk_open (struct walk *walk, int *ret_fd)
{
  char name[NAME_MAX + 1];
  bool last;
  int r;

  while (next_name (walk, name, &last, &r)) {
    cleanup_close int fd = openat (walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0)
      return -errno;
    if (S_ISLNK (st.st_mode)) {
      judge (walk, fd, &st);
      judge_place (walk, walk->fd);
      r = follow (walk, fd);
    } else if (last) {
      *ret_fd = openat (walk->fd, name, READ_FLAGS | O_NOFOLLOW);
      return *ret_fd < 0 ? -errno : 0;
    } else
      r = S_ISDIR (st.st_mode) ? enter (walk, take_fd (&fd)) : -ENOTDIR;
    if (r < 0)
      return r;
  }
  /* Only slashes were left, so the path names the directory itself. */
  return r < 0 ? r : -EISDIR;
}

int file_read_trusted (const char *path, const char *hostile, size_t max, char **ret_text, size_t *ret_len,
                       bool *ret_trusted, struct strlist *ret_places, struct error *err)
{
  cleanup (walk_clear) struct walk walk = {
    .fd = -1, .trusted = true, .users = namespace_is_users (NULL), .hostile = hostile, .places = ret_places
  };
  cleanup_close int fd = -1;
  struct stat st;
  int r;

  r = walk_start (&walk, path);
  if (r == 0)
    r = walk_open (&walk, &fd);
  if (r < 0)
    return error_set_errno (err, -r, "cannot read '%s'", path);
  if (fstat (fd, &st) < 0)
    return error_set_errno (err, errno, "cannot read '%s'", path);
  judge (&walk, fd, &st);
  judge_place (&walk, fd);
  if (walk.failed)
    return error_oom (err);
  max = bounded (max);
  r = check_readable (&st, path, max, err);
  if (r == 0)
    r = read_all (fd, path, (size_t) st.st_size, max, ret_text, ret_len, err);
  if (r == 0)
    *ret_trusted = walk.trusted;
  return r;
}

static int write_all (int fd, const char *text, size_t len)
{
  while (len > 0) {
    ssize_t n = write (fd, text, len);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -errno;
    text += n;
    len -= (size_t) n;
  }
  return 0;
}

/* Does not extend the target's name, which might become too long for the file system. */
static int temporary_name (char name[64])
{
  uint64_t random;
  ssize_t n;

  do
    n = getrandom (&random, sizeof (random), 0);
  while (n < 0 && errno == EINTR);
  if (n != (ssize_t) sizeof (random))
    return n < 0 ? -errno : -EIO;
  snprintf (name, 64, ".tyrum-oci-%016" PRIx64 ".tmp", random);
  return 0;
}

static int write_to (int fd, const char *text, size_t len, mode_t mode, bool sync)
{
  int r = write_all (fd, text, len);

  return r == 0 && (fchmod (fd, mode) < 0 || (sync && fsync (fd) < 0)) ? -errno : r;
}

/* The file gets its name when it is complete: a process that is killed while it writes leaves nothing. Fails
 * where the file system, or a missing /proc, does not allow that. */
static int write_unnamed (int directory, const char *name, const char *text, size_t len, mode_t mode,
                          bool sync)
{
  cleanup_close int fd = openat (directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  char path[64];
  int r;

  if (fd < 0)
    return -errno;
  r = write_to (fd, text, len, mode, sync);
  if (r < 0)
    return r;
  snprintf (path, sizeof (path), "/proc/self/fd/%d", fd);
  return linkat (AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int write_temporary (int directory, const char *name, const char *text, size_t len, mode_t mode,
                            bool sync)
{
  cleanup_close int fd = -1;
  int r;

  if (write_unnamed (directory, name, text, len, mode, sync) == 0)
    return 0;
  fd = openat (directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return -errno;
  r = write_to (fd, text, len, mode, sync);
  if (r < 0)
    unlinkat (directory, name, 0);
  return r;
}

static int replace (int directory, const char *base, const char *text, size_t len, mode_t mode, bool sync)
{
  char temporary[64];
  int r = temporary_name (temporary);

  if (r == 0)
    r = write_temporary (directory, temporary, text, len, mode, sync);
  if (r < 0)
    return r;
  if (renameat (directory, temporary, directory, base) < 0) {
    r = -errno;
    unlinkat (directory, temporary, 0);
  }
  return r;
}

static int write_whole (int dirfd, const char *path, const char *text, size_t len, mode_t mode, bool sync,
                        struct error *err)
{
  const char *slash = strrchr (path, '/');
  const char *base = slash ? slash + 1 : path;
  cleanup_free char *parent = slash ? strndup (path, (size_t) (slash - path) + 1) : strdup (".");
  cleanup_close int directory = -1;
  int r;

  if (parent == NULL)
    return error_oom (err);
  if (base[0] == '\0' || strcmp (base, ".") == 0 || strcmp (base, "..") == 0)
    return error_set (err, -EINVAL, "cannot write '%s': it does not name a file", path);
  directory = openat (dirfd, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
  r = directory < 0 ? -errno : replace (directory, base, text, len, mode, sync);
  return r < 0 ? error_set_errno (err, -r, "cannot write '%s'", path) : 0;
}

int file_write_atomic (int dirfd, const char *path, const char *text, size_t len, mode_t mode,
                       struct error *err)
{
  return write_whole (dirfd, path, text, len, mode, true, err);
}

int file_write_passing (int dirfd, const char *path, const char *text, size_t len, mode_t mode,
                        struct error *err)
{
  return write_whole (dirfd, path, text, len, mode, false, err);
}
