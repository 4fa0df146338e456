/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media types that we support: what kind of blob each stands for, and how a layer is compressed.
 *
 * OCI's own types, and the equivalent ones of Docker's schema 2. A type that is not in the table has no kind,
 * and callers refuse it: foreign, encrypted and future kinds are not guessed at.
 */
#pragma once

enum image_kind {
  IMAGE_KIND_UNKNOWN,
  IMAGE_KIND_INDEX,
  IMAGE_KIND_MANIFEST,
  IMAGE_KIND_CONFIG,
  IMAGE_KIND_LAYER
};

enum image_packing { IMAGE_PACKING_NONE, IMAGE_PACKING_GZIP, IMAGE_PACKING_ZSTD };

enum image_kind image_media_kind (const char *type);

/* Of a type whose kind is IMAGE_KIND_LAYER. */
enum image_packing image_media_packing (const char *type);
