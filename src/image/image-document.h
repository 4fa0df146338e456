/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON documents of an image: index, manifest, configuration, and the file oci-layout.
 *
 * Bytes go in, structs come out; nothing here opens a file. Unknown keys are ignored, as the image spec
 * requires. A known key of the wrong type, a digest that is not sha256, a size that is not a number, or a
 * list past its limit is an error with the document's name, line and column. A document whose type differs
 * from its descriptor's, or that is index and manifest at once, is refused: two readers would see two images
 * in it.
 *
 * Must never: hand out a digest that is not 64 lower-case hexadecimal digits, or a null string in a list.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-sha256.h"
#include "base-str.h"

/* A blob's digest, and its metadata. */
struct image_descriptor {
  char *media_type;
  char hex[SHA256_HEX]; /* the digest without "sha256:" */
  uint64_t size;
  char *tag;               /* org.opencontainers.image.ref.name, or NULL */
  char *os, *architecture; /* platform, or NULL */
};

struct image_index {
  struct image_descriptor *manifests;
  size_t count;
};

struct image_manifest {
  struct image_descriptor config;
  struct image_descriptor *layers; /* from the lowest up */
  size_t count;
};

/* The image's defaults. Only for information: the profile decides. */
struct image_config {
  char *os, *architecture;
  char *user, *working_directory; /* or NULL */
  struct strlist environment, entrypoint, command;
  char (*diffs)[SHA256_HEX]; /* the digest of each layer when unpacked */
  size_t diff_count;
};

/* NAME is put before messages. MEDIA_TYPE is the descriptor's, NULL for the index of a layout. */
int image_index_parse (const char *name, const char *media_type, const char *text, size_t len,
                       struct image_index *ret_index, struct error *err);
int image_manifest_parse (const char *name, const char *media_type, const char *text, size_t len,
                          struct image_manifest *ret_manifest, struct error *err);
int image_config_parse (const char *name, const char *text, size_t len, struct image_config *ret_config,
                        struct error *err);

/* Checks the version in the file "oci-layout". */
int image_mark_parse (const char *name, const char *text, size_t len, struct error *err);

void image_index_clear (struct image_index *index);
#define cleanup_image_index cleanup (image_index_clear)
void image_manifest_clear (struct image_manifest *manifest);
#define cleanup_image_manifest cleanup (image_manifest_clear)
void image_config_clear (struct image_config *config);
#define cleanup_image_config cleanup (image_config_clear)

/* The media types that we support: what kind of blob each stands for, and how a layer is compressed.
 *
 * OCI's own types, and the equivalent ones of Docker's schema 2. A type that is not in the table has no kind,
 * and callers refuse it: foreign, encrypted and future kinds are not guessed at.
 */

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
