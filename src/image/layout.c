/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base-limits.h"
#include "image-blob.h"
#include "image-choose.h"
#include "image-document.h"
#include "image-name-internal.h"

static int check_mark (int layout, struct error *err)
{
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r = image_file_read_all (layout, "oci-layout", LIMIT_IMAGE_MARK_BYTES, &text, &len, err);

  return r < 0 ? r : image_mark_parse ("oci-layout", text, len, err);
}

static int read_top_index (int layout, struct image_index *ret_index, struct error *err)
{
  cleanup_free char *text = NULL;
  size_t len = 0;
  int r = image_file_read_all (layout, "index.json", LIMIT_IMAGE_DOCUMENT_BYTES, &text, &len, err);

  return r < 0 ? r : image_index_parse ("index.json", NULL, text, len, ret_index, err);
}

/* Reads a document by its descriptor, and gives its name for messages: "manifest 0123...". */
static int read_document (int layout, const struct image_descriptor *descriptor, const char *kind,
                          char **ret_name, char **ret_text, size_t *ret_len, struct error *err)
{
  cleanup_free char *name = str_format ("%s %.12s", kind, descriptor->hex);
  int r;

  if (name == NULL)
    return error_oom (err);
  r = image_blob_read_all (layout, descriptor, LIMIT_IMAGE_DOCUMENT_BYTES, ret_text, ret_len, err);
  if (r < 0) {
    error_prefix (err, "%s", kind);
    return r;
  }
  *ret_name = take_ptr (name);
  return 0;
}

static int read_manifest (struct image *image, const struct image_descriptor *descriptor, struct error *err)
{
  cleanup_free char *name = NULL, *text = NULL;
  size_t len = 0;
  int r = read_document (image->layout, descriptor, "manifest", &name, &text, &len, err);

  if (r < 0)
    return r;
  memcpy (image->hex, descriptor->hex, SHA256_HEX);
  return image_manifest_parse (name, descriptor->media_type, text, len, &image->manifest, err);
}

static int read_index (int layout, const struct image_descriptor *descriptor, struct image_index *ret_index,
                       struct error *err)
{
  cleanup_free char *name = NULL, *text = NULL;
  size_t len = 0;
  int r = read_document (layout, descriptor, "index", &name, &text, &len, err);

  return r < 0 ? r : image_index_parse (name, descriptor->media_type, text, len, ret_index, err);
}

/* Finds the manifest from the layout's index, through nested indexes. The tag is matched at the top level
 * only. */
static int find_manifest (struct image *image, const char *tag, const char *architecture, struct error *err)
{
  cleanup_image_index struct image_index index = { 0 };
  char shown[IMAGE_SHOWN];
  int r = read_top_index (image->layout, &index, err);

  for (unsigned depth = 0; r == 0; depth++) {
    struct image_index below = { 0 };
    const struct image_descriptor *chosen = NULL;

    r = image_choose (&index, depth == 0 ? tag : NULL, architecture, &chosen, err);
    if (r < 0)
      break;
    if (image_media_kind (chosen->media_type) == IMAGE_KIND_MANIFEST)
      return read_manifest (image, chosen, err);
    if (image_media_kind (chosen->media_type) != IMAGE_KIND_INDEX)
      return error_set (err, -EINVAL, "'%s' is neither a manifest nor an index",
                        image_show (chosen->media_type, shown));
    if (depth >= LIMIT_IMAGE_NESTING)
      return error_set (err, -ELOOP, "indexes are nested more than %u deep", LIMIT_IMAGE_NESTING);
    r = read_index (image->layout, chosen, &below, err);
    if (r == 0) {
      image_index_clear (&index);
      index = below;
    }
  }
  return r;
}

static int check_config (const struct image *image, const char *name, const char *architecture,
                         struct error *err)
{
  const struct image_config *config = &image->config;
  char os[IMAGE_SHOWN], shown[IMAGE_SHOWN];

  if (strcmp (config->os, "linux") != 0 || strcmp (config->architecture, architecture) != 0)
    return error_set (err, -ENOEXEC, "the image is for %s/%s, this machine is linux/%s",
                      image_show (config->os, os), image_show (config->architecture, shown), architecture);
  if (config->diff_count != image->manifest.count)
    return error_set (err, -EINVAL, "%s: %zu diff_ids for the manifest's %zu layers", name,
                      config->diff_count, image->manifest.count);
  return 0;
}

static int read_config (struct image *image, const char *architecture, struct error *err)
{
  cleanup_free char *name = NULL, *text = NULL;
  size_t len = 0;
  int r = read_document (image->layout, &image->manifest.config, "configuration", &name, &text, &len, err);

  if (r == 0)
    r = image_config_parse (name, text, len, &image->config, err);
  return r < 0 ? r : check_config (image, name, architecture, err);
}

int image_open (const struct image_reference *reference, const char *machine, struct image **ret_image,
                struct error *err)
{
  const char *architecture = image_architecture (machine);
  cleanup_image struct image *image = calloc (1, sizeof (*image));
  char shown[IMAGE_SHOWN];
  int r;

  if (image == NULL)
    return error_oom (err);
  image->layout = -1;
  image->name = str_format ("oci:%s%s%s", reference->directory, reference->tag ? ":" : "",
                            reference->tag ? reference->tag : "");
  if (image->name == NULL)
    return error_oom (err);
  image->layout = open (reference->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (image->layout < 0)
    r = error_set_errno (err, errno, "cannot open the directory");
  else
    r = check_mark (image->layout, err);
  if (r == 0)
    r = find_manifest (image, reference->tag, architecture, err);
  if (r == 0)
    r = read_config (image, architecture, err);
  if (r < 0) {
    error_prefix (err, "image '%s'", image_show (image->name, shown));
    return r;
  }
  *ret_image = take_ptr (image);
  return 0;
}

void image_close (struct image *image)
{
  if (image == NULL)
    return;
  close_p (&image->layout);
  free (image->name);
  image_manifest_clear (&image->manifest);
  image_config_clear (&image->config);
  free (image);
}
