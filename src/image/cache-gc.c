/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks of the image cache, and removal of trees. */
#include <config.h>

#include "image-cache-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base-str.h"
#include "image-tree-internal.h"

#define RANDOM_DIGITS 16

static void closedir_p (DIR **dir)
{
  if (*dir != NULL)
    closedir (*dir);
}

int image_cache_lock (struct image_cache *cache, const char *name, int operation, int *ret_lock)
{
  char file[IMAGE_TREE_NAME];

  snprintf (file, sizeof (file), "%s" IMAGE_LOCK, name);
  for (;;) {
    cleanup_close int fd = openat (cache->fd, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat ours, current;

    if (fd < 0 || flock (fd, operation) < 0 || fstat (fd, &ours) < 0)
      return -errno;
    if (fstatat (cache->fd, file, &current, AT_SYMLINK_NOFOLLOW) == 0 && current.st_ino == ours.st_ino
        && current.st_dev == ours.st_dev) {
      *ret_lock = take_fd (&fd);
      return 0;
    }
  }
}

int image_cache_temporary (const char *name, char temporary[IMAGE_TREE_NAME], struct error *err)
{
  uint64_t number;

  if (getrandom (&number, sizeof (number), 0) != (ssize_t) sizeof (number))
    return error_set_errno (err, errno, "cannot get random bytes");
  snprintf (temporary, IMAGE_TREE_NAME, IMAGE_TEMPORARY "%s-%0*" PRIx64, name, RANDOM_DIGITS, number);
  return 0;
}

static int list_names (struct image_cache *cache, struct strlist *names, struct error *err)
{
  int fd = openat (cache->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  cleanup (closedir_p) DIR *dir = fd < 0 ? NULL : fdopendir (fd);

  if (dir == NULL) {
    int errnum = errno;

    close_p (&fd);
    return error_set_errno (err, errnum, "cannot list '%s'", cache->path);
  }
  for (;;) {
    const struct dirent *entry;

    errno = 0;
    entry = readdir (dir);
    if (entry == NULL)
      return errno != 0 ? error_set_errno (err, errno, "cannot list '%s'", cache->path) : 0;
    if (strlist_add (names, entry->d_name) < 0)
      return error_oom (err);
  }
}

/* FILE is the temporary directory in which NAME is unpacked. */
static bool is_temporary_of (const char *file, const char *name)
{
  size_t len = strlen (name);

  return str_has_prefix (file, IMAGE_TEMPORARY) && strncmp (file + strlen (IMAGE_TEMPORARY), name, len) == 0
         && file[strlen (IMAGE_TEMPORARY) + len] == '-'
         && strlen (file) == strlen (IMAGE_TEMPORARY) + len + 1 + RANDOM_DIGITS;
}

static int remove_file (struct image_cache *cache, const char *file, struct error *err)
{
  int r = image_remove_all (cache->fd, file);

  return r < 0 ? error_set_errno (err, -r, "cannot remove '%s/%s'", cache->path, file) : 0;
}

int image_cache_sweep (struct image_cache *cache, const char *name, size_t *count, struct error *err)
{
  cleanup_strlist struct strlist names = { 0 };
  int r = list_names (cache, &names, err);

  for (size_t i = 0; r == 0 && i < names.count; i++)
    if (is_temporary_of (names.items[i], name)) {
      r = remove_file (cache, names.items[i], err);
      (*count)++;
    }
  return r;
}

int image_cache_remove (struct image_cache *cache, const char *name, struct error *err)
{
  char temporary[IMAGE_TREE_NAME];
  int r = image_cache_temporary (name, temporary, err);

  if (r < 0)
    return r;
  if (renameat (cache->fd, name, cache->fd, temporary) < 0)
    return errno == ENOENT ? 0 : error_set_errno (err, errno, "cannot remove '%s/%s'", cache->path, name);
  return remove_file (cache, temporary, err);
}

/* Gives the tree's name from FILE, which is a tree, a lock or a temporary tree. False for any other file: gc
 * must not remove it. */
static bool name_of_tree (const char *file, char name[IMAGE_TREE_NAME])
{
  static const char *const ends[] = { "", ".setid" };
  const char *start = str_has_prefix (file, IMAGE_TEMPORARY) ? file + strlen (IMAGE_TEMPORARY) : file;
  const char *digits = start + strlen ("sha256-");

  if (!str_has_prefix (start, "sha256-") || strspn (digits, "0123456789abcdef") != SHA256_HEX - 1)
    return false;
  for (size_t i = 0; i < ARRAY_LEN (ends); i++) {
    snprintf (name, IMAGE_TREE_NAME, "sha256-%.*s%s", SHA256_HEX - 1, digits, ends[i]);
    if (is_temporary_of (file, name))
      return true;
    if (str_has_prefix (file, name)
        && (file[strlen (name)] == '\0' || strcmp (file + strlen (name), IMAGE_LOCK) == 0))
      return true;
  }
  return false;
}

/* 1: the tree exists, is complete, and was used less than UNUSED seconds ago; 0: it is absent or can be
 * removed. */
static int is_wanted (struct image_cache *cache, const char *name, uint64_t unused, bool *ret_there,
                      struct error *err)
{
  cleanup_close int directory = openat (cache->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct image_report report;
  struct stat st;
  time_t now = time (NULL);
  int r;

  *ret_there = directory >= 0 || errno != ENOENT;
  if (directory < 0)
    return !*ret_there || errno == ENOTDIR || errno == ELOOP
               ? 0
               : error_set_errno (err, errno, "cannot open '%s/%s'", cache->path, name);
  r = image_complete_read (directory, NULL, &report, err);
  if (r <= 0 || unused == IMAGE_CACHE_FOREVER)
    return r;
  if (fstatat (directory, IMAGE_COMPLETE, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return error_set_errno (err, errno, "cannot look at '%s/%s'", cache->path, name);
  return now < st.st_mtime || (uint64_t) (now - st.st_mtime) < unused;
}

static int collect (struct image_cache *cache, const char *name, uint64_t unused, size_t *count,
                    struct error *err)
{
  cleanup_close int lock = -1;
  char file[IMAGE_TREE_NAME];
  bool there = false;
  int r = image_cache_lock (cache, name, LOCK_EX | LOCK_NB, &lock);

  if (r == -EWOULDBLOCK)
    return 0;
  if (r < 0)
    return error_set_errno (err, -r, "cannot lock '%s/%s" IMAGE_LOCK "'", cache->path, name);
  r = image_cache_sweep (cache, name, count, err);
  if (r == 0)
    r = is_wanted (cache, name, unused, &there, err);
  if (r != 0)
    return r < 0 ? r : 0;
  r = there ? image_cache_remove (cache, name, err) : 0;
  if (r < 0)
    return r;
  *count += there;
  /* A process that waits for this lock finds the file unlinked, and locks a new one. */
  snprintf (file, sizeof (file), "%s" IMAGE_LOCK, name);
  unlinkat (cache->fd, file, 0);
  return 0;
}

int image_cache_gc (struct image_cache *cache, uint64_t unused_seconds, size_t *ret_removed,
                    struct error *err)
{
  cleanup_strlist struct strlist files = { 0 }, trees = { 0 };
  size_t removed = 0;
  int r = list_names (cache, &files, err);

  for (size_t i = 0; r == 0 && i < files.count; i++) {
    char name[IMAGE_TREE_NAME];

    if (name_of_tree (files.items[i], name) && strset_add (&trees, name) < 0)
      r = error_oom (err);
  }
  for (size_t i = 0; r == 0 && i < trees.count; i++)
    r = collect (cache, trees.items[i], unused_seconds, &removed, err);
  if (r == 0)
    *ret_removed = removed;
  return r;
}
