/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base-directory.h"
#include "base-str.h"
#include "image-cache-internal.h"
#include "image-text.h"
#include "image-tree-internal.h"

/* How often a tree may be removed between being made and being used before we give up. */
#define TRIES 8u

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int image_cache_open (const char *state, struct image_cache *ret_cache, struct error *err)
{
  cleanup_image_cache struct image_cache cache = { .fd = -1, .path = str_format ("%s/images", state) };

  if (cache.path == NULL)
    return error_oom (err);
  cache.fd = directory_make_own (state, "images", "image cache", err);
  if (cache.fd < 0)
    return cache.fd;
  *ret_cache = cache;
  cache = (struct image_cache){ .fd = -1 };
  return 0;
}

int image_cache_open_existing (const char *state, struct image_cache *ret_cache, struct error *err)
{
  cleanup_free char *path = str_format ("%s/images", state);

  if (path == NULL)
    return error_oom (err);
  return access (path, F_OK) < 0 && errno == ENOENT ? 0 : image_cache_open (state, ret_cache, err);
}

void image_cache_close (struct image_cache *cache)
{
  close_p (&cache->fd);
  free (cache->path);
  *cache = (struct image_cache){ .fd = -1 };
}

static void tree_name (const struct image *image, const struct image_unpack_options *options,
                       char name[IMAGE_TREE_NAME])
{
  snprintf (name, IMAGE_TREE_NAME, "sha256-%s%s", image->hex, options->keep_setid ? ".setid" : "");
}

/* Waits for the lock, and reports IMAGE_STAGE_WAIT if it is taken. */
static int wait_for_lock (struct image_cache *cache, const char *name, int operation,
                          const struct image_unpack_options *options, int *ret_lock, struct error *err)
{
  const struct image_progress progress = { .stage = IMAGE_STAGE_WAIT };
  int r = image_cache_lock (cache, name, operation | LOCK_NB, ret_lock);

  if (r == -EWOULDBLOCK) {
    r = options->tell ? options->tell (options->tell_data, &progress) : 0;
    if (r < 0)
      return error_set (err, r, "stopped while another process unpacked the same image");
    r = image_cache_lock (cache, name, operation, ret_lock);
  }
  return r < 0 ? error_set_errno (err, -r, "cannot lock '%s/%s" IMAGE_LOCK "'", cache->path, name) : 0;
}

/* 1 and the open root if the tree exists and is complete, else 0. */
static int find_tree (struct image_cache *cache, const char *name, const struct image *image,
                      struct image_root *root, struct error *err)
{
  cleanup_close int directory = openat (cache->fd, name, OPEN_DIRECTORY);
  int r;

  /* Anything but a directory is not a tree; make_tree removes it. */
  if (directory < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
    return 0;
  if (directory < 0)
    return error_set_errno (err, errno, "cannot open '%s/%s'", cache->path, name);
  r = image_complete_read (directory, image->hex, &root->report, err);
  if (r <= 0)
    return r;
  root->fd = openat (directory, "rootfs", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (root->fd < 0)
    return errno == ENOENT || errno == ENOTDIR
               ? 0
               : error_set_errno (err, errno, "cannot open '%s/%s/rootfs'", cache->path, name);
  /* gc goes by this time. If it cannot be set, gc removes the tree a little early. */
  utimensat (directory, IMAGE_COMPLETE, NULL, AT_SYMLINK_NOFOLLOW);
  return 1;
}

static int make_directory (int directory, const char *name, int *ret_fd)
{
  if (mkdirat (directory, name, 0700) < 0)
    return -errno;
  *ret_fd = openat (directory, name, OPEN_DIRECTORY);
  return *ret_fd < 0 ? -errno : 0;
}

/* Fills the temporary directory TREE: writes the contents, syncs them, then writes the mark. */
static int fill_tree (int tree, const struct image *image, const struct image_unpack_options *options,
                      struct error *err)
{
  struct image_unpack_options own = *options;
  cleanup_close int root = -1;
  struct image_report report = { 0 };
  int r = make_directory (tree, "rootfs", &root);

  if (r < 0)
    return error_set_errno (err, -r, "cannot make a directory in the image cache");
  own.keep_owner = geteuid () == 0;
  r = image_unpack (image, root, &own, &report, err);
  if (r < 0)
    return r;
  /* Without this, a crash of the host could keep the mark and lose contents. */
  if (syncfs (tree) < 0)
    return error_set_errno (err, errno, "cannot sync the unpacked image to disk");
  r = image_complete_write (tree, image->hex, &report, err);
  if (r == 0 && fsync (tree) < 0)
    r = error_set_errno (err, errno, "cannot sync the unpacked image to disk");
  return r;
}

static int publish (struct image_cache *cache, const char *temporary, const char *name, struct error *err)
{
  if (renameat (cache->fd, temporary, cache->fd, name) < 0)
    return error_set_errno (err, errno, "cannot rename the unpacked image to '%s/%s'", cache->path, name);
  /* A rename lost in a power cut only costs unpacking again. */
  fsync (cache->fd);
  return 0;
}

/* Makes the tree NAME, whose lock is held, after removing what an earlier attempt left. */
static int make_tree (struct image_cache *cache, const char *name, const struct image *image,
                      const struct image_unpack_options *options, struct error *err)
{
  char temporary[IMAGE_TREE_NAME];
  cleanup_close int tree = -1;
  size_t swept = 0;
  int r = image_cache_sweep (cache, name, &swept, err);

  if (r == 0)
    r = image_cache_remove (cache, name, err);
  if (r == 0)
    r = image_cache_temporary (name, temporary, err);
  if (r < 0)
    return r;
  r = make_directory (cache->fd, temporary, &tree);
  if (r < 0)
    r = error_set_errno (err, -r, "cannot make a directory in '%s'", cache->path);
  if (r == 0)
    r = fill_tree (tree, image, options, err);
  if (r == 0)
    r = publish (cache, temporary, name, err);
  if (r < 0)
    image_remove_all (cache->fd, temporary);
  return r;
}

/* Makes the tree unless another process has made it while we waited for the lock. */
static int ensure_tree (struct image_cache *cache, const char *name, const struct image *image,
                        const struct image_unpack_options *options, bool *ret_made, struct error *err)
{
  cleanup_image_root struct image_root found = { .fd = -1, .lock = -1 };
  int r = wait_for_lock (cache, name, LOCK_EX, options, &found.lock, err);

  if (r == 0)
    r = find_tree (cache, name, image, &found, err);
  if (r != 0)
    return r < 0 ? r : 0;
  r = make_tree (cache, name, image, options, err);
  if (r == 0)
    *ret_made = true;
  return r;
}

int image_cache_get (struct image_cache *cache, const struct image *image,
                     const struct image_unpack_options *options, struct image_root *ret_root,
                     struct error *err)
{
  char name[IMAGE_TREE_NAME];
  bool made = false;

  tree_name (image, options, name);
  for (unsigned i = 0; i < TRIES; i++) {
    cleanup_image_root struct image_root root = { .fd = -1, .lock = -1 };
    int r = wait_for_lock (cache, name, LOCK_SH, options, &root.lock, err);

    if (r == 0)
      r = find_tree (cache, name, image, &root, err);
    if (r < 0)
      return r;
    if (r > 0) {
      root.path = str_format ("%s/%s/rootfs", cache->path, name);
      if (root.path == NULL)
        return error_oom (err);
      root.fresh = made;
      *ret_root = root;
      root = (struct image_root){ .fd = -1, .lock = -1 };
      return 0;
    }
    image_root_release (&root);
    r = ensure_tree (cache, name, image, options, &made, err);
    if (r < 0)
      return r;
  }
  return error_set (err, -EAGAIN, "image tree '%s/%s' was removed %u times while it was needed", cache->path,
                    name, TRIES);
}

void image_root_release (struct image_root *root)
{
  close_p (&root->fd);
  close_p (&root->lock);
  free (root->path);
  *root = (struct image_root){ .fd = -1, .lock = -1 };
}
