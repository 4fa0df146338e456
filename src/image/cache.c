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
#include "base-file.h"
#include "base-json-object.h"
#include "base-json-write.h"
#include "base-limits.h"
#include "base-str.h"
#include "image-cache-internal.h"
#include "image-name-internal.h"
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

/* The file that marks a tree as complete: a small JSON document. */

static const char schema[] = "tyrum-oci/image-tree/1";

struct complete {
  char *schema;
  char *manifest;
  struct image_report report;
};

static void complete_clear (struct complete *complete)
{
  free (complete->schema);
  free (complete->manifest);
}

#define REPORT_ROW(field)                                                                                    \
  {                                                                                                          \
#field, JSON_NUMBER, json_into_u64, offsetof(struct complete, report.field)                              \
  }

static const struct json_field fields[] = {
  { "schema", JSON_STRING, json_into_text, offsetof (struct complete, schema) },
  { "manifest", JSON_STRING, json_into_text, offsetof (struct complete, manifest) },
  REPORT_ROW (entries),
  REPORT_ROW (bytes),
  REPORT_ROW (whiteouts),
  REPORT_ROW (setid_dropped),
  REPORT_ROW (capabilities_dropped),
  REPORT_ROW (attributes_dropped),
};

_Static_assert(ARRAY_LEN (fields) == 2 + sizeof (struct image_report) / sizeof (uint64_t),
               "keep every number");

int image_complete_write (int directory, const char *hex, const struct image_report *report,
                          struct error *err)
{
  const struct complete complete = { .report = *report };
  cleanup_json_writer struct json_writer writer = { .pretty = true };
  cleanup_free char *text = NULL;
  int r;

  json_object_begin (&writer, NULL);
  json_string (&writer, fields[0].key, schema);
  json_string (&writer, fields[1].key, hex);
  for (size_t i = 2; i < ARRAY_LEN (fields); i++)
    json_number (&writer, fields[i].key,
                 *(const uint64_t *) (const void *) ((const char *) &complete + fields[i].offset));
  json_object_end (&writer);
  r = json_finish (&writer, &text, err);
  return r < 0 ? r : file_write_atomic (directory, IMAGE_COMPLETE, text, strlen (text), 0600, err);
}

/* The mark is absent or malformed, as opposed to a mark that could not be read. */
static bool is_verdict (int r)
{
  return r == -ENOENT || r == -EINVAL || r == -EFBIG || r == -EISDIR;
}

int image_complete_read (int directory, const char *hex, struct image_report *ret_report, struct error *err)
{
  static const struct json_limits limits = { .bytes = LIMIT_IMAGE_MARK_BYTES, .depth = 2, .nodes = 64 };
  const struct json_place place = { .name = IMAGE_COMPLETE };
  cleanup (complete_clear) struct complete complete = { 0 };
  cleanup_error struct error why = { 0 };
  cleanup_free char *text = NULL;
  cleanup_json struct json_node *tree = NULL;
  size_t len = 0;
  int r = file_read (directory, IMAGE_COMPLETE, LIMIT_IMAGE_MARK_BYTES, &text, &len, &why);

  if (r == 0)
    r = json_read (IMAGE_COMPLETE, text, len, &limits, &tree, &why);
  if (r == 0)
    r = json_read_object (&place, tree, fields, ARRAY_LEN (fields), &complete, &why);
  if (r < 0)
    return is_verdict (r) ? 0 : error_set (err, r, "%s", error_text (&why));
  if (!str_equal (complete.schema, schema) || complete.manifest == NULL
      || (hex != NULL && strcmp (complete.manifest, hex) != 0))
    return 0;
  *ret_report = complete.report;
  return 1;
}
