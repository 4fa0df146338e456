/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base-cleanup.h"
#include "base-limits.h"
#include "base-number.h"
#include "image-json-internal.h"
#include "image-name-internal.h"

static void descriptor_clear (struct image_descriptor *descriptor)
{
  free (descriptor->media_type);
  free (descriptor->tag);
  free (descriptor->os);
  free (descriptor->architecture);
}

static int read_size (const struct json_place *place, const struct json_node *object, uint64_t *ret_size,
                      struct error *err)
{
  const struct json_place below = { .parent = place, .name = "size" };
  const struct json_node *node = NULL;
  int r = image_json_member (place, object, "size", JSON_NUMBER, true, &node, err);

  if (r < 0)
    return r;
  if (!number_parse (node->text, LIMIT_IMAGE_BLOB_BYTES, ret_size))
    return json_fail (&below, node, err, "'%s' is not a whole number from 0 to %llu", node->text,
                      (unsigned long long) LIMIT_IMAGE_BLOB_BYTES);
  return 0;
}

static int read_platform (const struct json_place *place, const struct json_node *object,
                          struct image_descriptor *into, struct error *err)
{
  const struct json_place below = { .parent = place, .name = "platform" };
  const struct json_node *node = NULL;
  int r = image_json_member (place, object, "platform", JSON_OBJECT, false, &node, err);

  if (r < 0 || node == NULL)
    return r;
  r = image_json_text (&below, node, "os", true, &into->os, err);
  if (r == 0)
    r = image_json_text (&below, node, "architecture", true, &into->architecture, err);
  return r;
}

static int read_tag (const struct json_place *place, const struct json_node *object,
                     struct image_descriptor *into, struct error *err)
{
  const struct json_place below = { .parent = place, .name = "annotations" };
  const struct json_node *node = NULL;
  int r = image_json_member (place, object, "annotations", JSON_OBJECT, false, &node, err);

  if (r < 0 || node == NULL)
    return r;
  return image_json_text (&below, node, "org.opencontainers.image.ref.name", false, &into->tag, err);
}

/* INTO is cleared by its owner, also after an error. */
static int read_descriptor (const struct json_place *place, const struct json_node *object,
                            struct image_descriptor *into, struct error *err)
{
  const struct json_place digest = { .parent = place, .name = "digest" };
  const struct json_node *node = NULL;
  int r = image_json_text (place, object, "mediaType", true, &into->media_type, err);

  if (r == 0)
    r = image_json_member (place, object, "digest", JSON_STRING, true, &node, err);
  if (r == 0)
    r = image_json_digest (&digest, node, into->hex, err);
  if (r == 0)
    r = read_size (place, object, &into->size, err);
  if (r == 0)
    r = read_platform (place, object, into, err);
  if (r == 0)
    r = read_tag (place, object, into, err);
  return r;
}

struct descriptor_list {
  struct image_descriptor *items;
  size_t count;
};

static JSON_READER (add_descriptor)
{
  struct descriptor_list *list = at;

  /* Counted before it is read, so that the owner frees it after an error. */
  return read_descriptor (place, node, &list->items[list->count++], err);
}

static void descriptors_free (struct image_descriptor *items, size_t count)
{
  for (size_t i = 0; i < count; i++)
    descriptor_clear (&items[i]);
  free (items);
}

static void descriptor_list_clear (struct descriptor_list *list)
{
  descriptors_free (list->items, list->count);
}

static int read_descriptors (const struct json_place *place, const struct json_node *object, const char *key,
                             size_t max, struct image_descriptor **ret_items, size_t *ret_count,
                             struct error *err)
{
  const struct json_place below = { .parent = place, .name = key };
  cleanup (descriptor_list_clear) struct descriptor_list list = { 0 };
  const struct json_node *node = NULL;
  int r = image_json_member (place, object, key, JSON_ARRAY, true, &node, err);

  if (r < 0)
    return r;
  if (node->count > max)
    return json_fail (&below, node, err, "more than %zu entries", max);
  list.items = calloc (node->count > 0 ? node->count : 1, sizeof (*list.items));
  if (list.items == NULL)
    return error_oom (err);
  r = json_read_array (&below, node, JSON_OBJECT, max, add_descriptor, &list, err);
  if (r < 0)
    return r;
  *ret_items = take_ptr (list.items);
  *ret_count = list.count;
  list.count = 0;
  return 0;
}

/* Checks the version and, where given, the type of either kind of document. FOREIGN is a key that only the
 * other kind has. */
static int check_head (const struct json_place *place, const struct json_node *tree, enum image_kind kind,
                       const char *media_type, const char *foreign, struct error *err)
{
  const struct json_node *version = NULL, *type = NULL;
  char shown[IMAGE_SHOWN];
  int r = image_json_member (place, tree, "schemaVersion", JSON_NUMBER, true, &version, err);

  if (r == 0)
    r = image_json_member (place, tree, "mediaType", JSON_STRING, false, &type, err);
  if (r < 0)
    return r;
  if (strcmp (version->text, "2") != 0)
    return json_fail (place, version, err, "schemaVersion is %s, expected 2", version->text);
  if (type != NULL && image_media_kind (type->text) != kind)
    return json_fail (place, type, err, "mediaType '%s' is not what was expected here",
                      image_show (type->text, shown));
  if (type != NULL && media_type != NULL && strcmp (type->text, media_type) != 0)
    return json_fail (place, type, err, "mediaType is '%s', but its descriptor says another",
                      image_show (type->text, shown));
  if (json_get (tree, foreign) != NULL)
    return json_fail (place, tree, err, "has '%s' as well: it could be read as two different images",
                      foreign);
  return 0;
}

int image_index_parse (const char *name, const char *media_type, const char *text, size_t len,
                       struct image_index *ret_index, struct error *err)
{
  const struct json_place place = { .name = name };
  cleanup_json struct json_node *tree = NULL;
  int r = image_json_read (name, text, len, &tree, err);

  if (r == 0)
    r = check_head (&place, tree, IMAGE_KIND_INDEX, media_type, "layers", err);
  if (r < 0)
    return r;
  return read_descriptors (&place, tree, "manifests", LIMIT_IMAGE_MANIFESTS, &ret_index->manifests,
                           &ret_index->count, err);
}

static int read_manifest (const struct json_place *place, const struct json_node *tree,
                          struct image_manifest *into, struct error *err)
{
  const struct json_place below = { .parent = place, .name = "config" };
  const struct json_node *config = NULL;
  char shown[IMAGE_SHOWN];
  int r = image_json_member (place, tree, "config", JSON_OBJECT, true, &config, err);

  if (r == 0)
    r = read_descriptor (&below, config, &into->config, err);
  if (r < 0)
    return r;
  if (image_media_kind (into->config.media_type) != IMAGE_KIND_CONFIG)
    return json_fail (&below, config, err, "'%s' is not the configuration of a container image",
                      image_show (into->config.media_type, shown));
  return read_descriptors (place, tree, "layers", LIMIT_IMAGE_LAYERS, &into->layers, &into->count, err);
}

static int check_layers (const char *name, const struct image_manifest *manifest, struct error *err)
{
  char shown[IMAGE_SHOWN];

  for (size_t i = 0; i < manifest->count; i++)
    if (image_media_kind (manifest->layers[i].media_type) != IMAGE_KIND_LAYER)
      return error_set (err, -EINVAL, "%s: layers[%zu]: '%s' is not a kind of layer that we know", name, i,
                        image_show (manifest->layers[i].media_type, shown));
  return 0;
}

int image_manifest_parse (const char *name, const char *media_type, const char *text, size_t len,
                          struct image_manifest *ret_manifest, struct error *err)
{
  const struct json_place place = { .name = name };
  cleanup_image_manifest struct image_manifest manifest = { 0 };
  cleanup_json struct json_node *tree = NULL;
  int r = image_json_read (name, text, len, &tree, err);

  if (r == 0)
    r = check_head (&place, tree, IMAGE_KIND_MANIFEST, media_type, "manifests", err);
  if (r == 0)
    r = read_manifest (&place, tree, &manifest, err);
  if (r == 0)
    r = check_layers (name, &manifest, err);
  if (r < 0)
    return r;
  *ret_manifest = manifest;
  manifest = (struct image_manifest){ 0 };
  return 0;
}

void image_index_clear (struct image_index *index)
{
  descriptors_free (index->manifests, index->count);
  *index = (struct image_index){ 0 };
}

void image_manifest_clear (struct image_manifest *manifest)
{
  descriptor_clear (&manifest->config);
  descriptors_free (manifest->layers, manifest->count);
  *manifest = (struct image_manifest){ 0 };
}

#define OCI    "application/vnd.oci.image."
#define DOCKER "application/vnd.docker."

static const struct media {
  const char *type;
  enum image_kind kind;
  enum image_packing packing;
} known[] = {
  { OCI "index.v1+json", IMAGE_KIND_INDEX, IMAGE_PACKING_NONE },
  { DOCKER "distribution.manifest.list.v2+json", IMAGE_KIND_INDEX, IMAGE_PACKING_NONE },
  { OCI "manifest.v1+json", IMAGE_KIND_MANIFEST, IMAGE_PACKING_NONE },
  { DOCKER "distribution.manifest.v2+json", IMAGE_KIND_MANIFEST, IMAGE_PACKING_NONE },
  { OCI "config.v1+json", IMAGE_KIND_CONFIG, IMAGE_PACKING_NONE },
  { DOCKER "container.image.v1+json", IMAGE_KIND_CONFIG, IMAGE_PACKING_NONE },
  { OCI "layer.v1.tar", IMAGE_KIND_LAYER, IMAGE_PACKING_NONE },
  { OCI "layer.v1.tar+gzip", IMAGE_KIND_LAYER, IMAGE_PACKING_GZIP },
  { OCI "layer.v1.tar+zstd", IMAGE_KIND_LAYER, IMAGE_PACKING_ZSTD },
  { DOCKER "image.rootfs.diff.tar", IMAGE_KIND_LAYER, IMAGE_PACKING_NONE },
  { DOCKER "image.rootfs.diff.tar.gzip", IMAGE_KIND_LAYER, IMAGE_PACKING_GZIP },
  { DOCKER "image.rootfs.diff.tar.zstd", IMAGE_KIND_LAYER, IMAGE_PACKING_ZSTD },
};

static const struct media *find (const char *type)
{
  for (size_t i = 0; i < ARRAY_LEN (known); i++)
    if (strcmp (known[i].type, type) == 0)
      return &known[i];
  return NULL;
}

enum image_kind image_media_kind (const char *type)
{
  const struct media *media = find (type);

  return media ? media->kind : IMAGE_KIND_UNKNOWN;
}

enum image_packing image_media_packing (const char *type)
{
  const struct media *media = find (type);

  return media ? media->packing : IMAGE_PACKING_NONE;
}
