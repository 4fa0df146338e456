/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "image-media.h"

#include <string.h>

#include "base-cleanup.h"

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
