/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base-cleanup.h"
#include "image-blob.h"
#include "image-name-internal.h"
#include "image-tree-internal.h"
#include "image-unpack-internal.h"

#define TELL_BYTES ((uint64_t) 1024 * 1024)

/* One layer under way. */
struct layer {
  struct image_unpacker *unpacker;
  struct image_blob blob;
  struct image_progress progress;
  uint64_t told;  /* bytes of this layer at the last report */
  uint64_t below; /* bytes of the layers below */
  void *touched;  /* a search tree of this layer's names and their parent directories */
  bool aufs_links;
};

static int compare_names (const void *a, const void *b)
{
  return strcmp (a, b);
}

/* Adds PATH and its parents to the layer's names. PATH is the caller's buffer and is overwritten. */
static int touch (struct layer *layer, char *path)
{
  while (path[0] != '\0' && tfind (path, &layer->touched, compare_names) == NULL) {
    char *copy = strdup (path), *slash;

    if (copy == NULL || tsearch (copy, &layer->touched, compare_names) == NULL) {
      free (copy);
      return -ENOMEM;
    }
    slash = strrchr (path, '/');
    *(slash ? slash : path) = '\0';
  }
  return 0;
}

static bool is_touched (void *data, const char *path)
{
  struct layer *layer = data;

  return tfind (path, &layer->touched, compare_names) != NULL;
}

static void layer_clear (struct layer *layer)
{
  tdestroy (layer->touched, free);
  image_blob_close (&layer->blob);
}

/* Deletes PATH as the layers below left it: everything, or what this layer has not put there. */
static int delete_below (struct layer *layer, const char *path)
{
  struct image_tree *tree = &layer->unpacker->tree;
  cleanup_close int directory = -1;
  const char *name = NULL;
  struct stat st;
  int r = image_tree_parent (tree, path, false, &directory, &name);

  if (r == -ENOENT)
    return 0;
  if (r < 0)
    return r;
  if (!is_touched (layer, path))
    return image_tree_remove (tree, directory, name, path);
  if (fstatat (directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? 0 : -errno;
  return S_ISDIR (st.st_mode) ? image_tree_prune (tree, path, is_touched, layer) : 0;
}

static int apply_mark (struct layer *layer, enum image_mark mark, const struct image_entry *entry,
                       const char *path, struct error *err)
{
  char shown[IMAGE_SHOWN];
  int r;

  if (entry->kind != IMAGE_ENTRY_FILE)
    return error_set (err, -EINVAL, "'%s' is a whiteout that is not a regular file",
                      image_show (entry->name, shown));
  layer->unpacker->report.whiteouts++;
  if (mark == IMAGE_MARK_OPAQUE)
    r = image_tree_prune (&layer->unpacker->tree, path, is_touched, layer);
  else
    r = delete_below (layer, path);
  return r < 0 ? image_entry_fail (entry->name, r, err) : 0;
}

static int check_entry (const struct image_unpacker *unpacker, const struct image_entry *entry,
                        struct error *err)
{
  static const char *const refused[] = {
    [IMAGE_ENTRY_DEVICE] = "a device",
    [IMAGE_ENTRY_FIFO] = "a FIFO",
    [IMAGE_ENTRY_SOCKET] = "a socket",
    [IMAGE_ENTRY_OTHER] = "of an unknown kind",
  };
  char shown[IMAGE_SHOWN];

  image_show (entry->name, shown);
  if (unpacker->report.entries >= unpacker->options.entries_max)
    return error_set (err, -EFBIG, "'%s' is past the limit of %" PRIu64 " entries", shown,
                      unpacker->options.entries_max);
  if (entry->kind < ARRAY_LEN (refused) && refused[entry->kind] != NULL)
    return error_set (err, -EPERM, "'%s' is %s; images may hold files, directories and links", shown,
                      refused[entry->kind]);
  if (entry->uid < 0 || entry->uid > LIMIT_ID_MAX || entry->gid < 0 || entry->gid > LIMIT_ID_MAX)
    return error_set (err, -EINVAL, "'%s' belongs to %" PRId64 ":%" PRId64 ", which are not valid ids", shown,
                      entry->uid, entry->gid);
  return 0;
}

static int apply_entry (struct layer *layer, const struct image_entry *entry, struct error *err)
{
  struct image_unpacker *unpacker = layer->unpacker;
  enum image_mark mark = IMAGE_MARK_NONE;
  char path[IMAGE_NAME_SIZE];
  int r = check_entry (unpacker, entry, err);

  if (r == 0)
    r = image_name_normal (entry->name, unpacker->options.depth_max, path, err);
  if (r == 0)
    r = image_name_mark (path, &mark, err);
  if (r < 0)
    return r;
  unpacker->report.entries++;
  if (mark == IMAGE_MARK_AUFS || (mark == IMAGE_MARK_LINKED && entry->kind != IMAGE_ENTRY_FILE))
    return 0;
  layer->aufs_links = layer->aufs_links || mark == IMAGE_MARK_LINKED;
  if (mark == IMAGE_MARK_DELETE || mark == IMAGE_MARK_OPAQUE)
    return apply_mark (layer, mark, entry, path, err);
  r = image_entry_put (unpacker, entry, path, err);
  if (r == 0 && touch (layer, path) < 0)
    r = error_oom (err);
  return r;
}

/* By now every link to them is made. */
static int remove_aufs_links (struct layer *layer, struct error *err)
{
  struct image_tree *tree = &layer->unpacker->tree;
  int r = layer->aufs_links ? image_tree_remove (tree, tree->root, IMAGE_AUFS_LINKS, IMAGE_AUFS_LINKS) : 0;

  return r < 0 ? image_entry_fail (IMAGE_AUFS_LINKS, r, err) : 0;
}

static int tell (struct layer *layer, struct error *err)
{
  const struct image_unpack_options *options = &layer->unpacker->options;
  int r;

  layer->told = layer->blob.done;
  layer->progress.bytes = layer->below + layer->blob.done;
  r = options->tell ? options->tell (options->tell_data, &layer->progress) : 0;
  return r < 0 ? error_set (err, r, "stopped before the image was unpacked") : 0;
}

static int read_layer (void *data, void *buffer, size_t size, size_t *ret_len, struct error *err)
{
  struct layer *layer = data;
  int r = image_blob_read (&layer->blob, buffer, size, ret_len, err);

  if (r == 0 && layer->blob.done - layer->told >= TELL_BYTES)
    r = tell (layer, err);
  return r;
}

/* Applies all entries, then checks the digests. DIFF is the declared digest of the unpacked bytes. */
static int apply_layer (struct layer *layer, enum image_packing packing, const char *diff,
                        uint64_t *unpacked_left, struct error *err)
{
  cleanup_image_archive struct image_archive *archive = NULL;
  struct image_entry entry;
  char hex[SHA256_HEX] = "";
  uint64_t unpacked = 0;
  int r = image_archive_open (read_layer, layer, packing, *unpacked_left, &archive, err);

  if (r < 0)
    return r;
  layer->unpacker->archive = archive;
  while ((r = image_archive_next (archive, &entry, err)) > 0) {
    r = apply_entry (layer, &entry, err);
    if (r < 0)
      return r;
  }
  if (r == 0)
    r = remove_aufs_links (layer, err);
  if (r == 0)
    r = image_archive_finish (archive, hex, &unpacked, err);
  if (r == 0)
    r = image_blob_finish (&layer->blob, err);
  if (r == 0 && strcmp (hex, diff) != 0)
    r = error_set (err, -EBADMSG, "unpacked it has the digest %s, the configuration says %s", hex, diff);
  *unpacked_left -= unpacked;
  return r;
}

static int unpack_layers (struct image_unpacker *unpacker, const struct image *image, struct error *err)
{
  uint64_t unpacked_left = unpacker->options.bytes_max, total = 0, below = 0;
  const struct image_manifest *manifest = &image->manifest;

  for (size_t i = 0; i < manifest->count; i++)
    total += manifest->layers[i].size;
  for (size_t i = 0; i < manifest->count; i++) {
    const struct image_descriptor *descriptor = &manifest->layers[i];
    cleanup (layer_clear) struct layer layer = {
      .unpacker = unpacker,
      .blob.fd = -1,
      .below = below,
      .progress = { .stage = IMAGE_STAGE_UNPACK, .layer = i + 1, .layers = manifest->count, .total = total },
    };
    int r = image_blob_open (image->layout, descriptor, &layer.blob, err);

    if (r == 0)
      r = tell (&layer, err);
    if (r == 0)
      r = apply_layer (&layer, image_media_packing (descriptor->media_type), image->config.diffs[i],
                       &unpacked_left, err);
    if (r == 0)
      r = tell (&layer, err);
    unpacker->archive = NULL;
    if (r < 0) {
      error_prefix (err, "layer %zu of %zu", i + 1, manifest->count);
      return r;
    }
    below += descriptor->size;
  }
  return 0;
}

static int settle_directory (void *data, const char *path, mode_t mode, struct timespec time,
                             struct error *err)
{
  const struct image_tree *tree = data;
  const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, time };
  cleanup_close int fd = image_beneath_open (tree->root, path, O_RDONLY | O_DIRECTORY, tree->walk);

  if (fd < 0)
    return image_entry_fail (path, fd, err);
  if (fchmod (fd, mode) < 0 || futimens (fd, times) < 0)
    return image_entry_fail (path, -errno, err);
  return 0;
}

static void fill_limits (struct image_unpack_options *options)
{
  if (options->bytes_max == 0 || options->bytes_max > LIMIT_IMAGE_UNPACKED_BYTES)
    options->bytes_max = LIMIT_IMAGE_UNPACKED_BYTES;
  if (options->entries_max == 0 || options->entries_max > LIMIT_IMAGE_ENTRIES)
    options->entries_max = LIMIT_IMAGE_ENTRIES;
  if (options->depth_max == 0 || options->depth_max > LIMIT_IMAGE_DEPTH)
    options->depth_max = LIMIT_IMAGE_DEPTH;
}

static void unpacker_clear (struct image_unpacker *unpacker)
{
  image_directories_clear (&unpacker->tree.directories);
}

int image_unpack (const struct image *image, int root, const struct image_unpack_options *options,
                  struct image_report *ret_report, struct error *err)
{
  cleanup (unpacker_clear) struct image_unpacker unpacker = {
    .options = *options,
    .tree = { .root = root, .walk = options->walk },
  };
  char shown[IMAGE_SHOWN];
  int r = 0;

  fill_limits (&unpacker.options);
  /* Applies if no layer has an entry for the root. */
  if (image_directories_implied (&unpacker.tree.directories, "") < 0)
    return error_oom (err);
  r = unpack_layers (&unpacker, image, err);
  if (r == 0)
    r = image_directories_settle (&unpacker.tree.directories, settle_directory, &unpacker.tree, err);
  if (r < 0) {
    error_prefix (err, "cannot unpack image '%s'", image_show (image->name, shown));
    return r;
  }
  *ret_report = unpacker.report;
  return 0;
}
