/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON documents of an image: index, manifest, configuration, and the file that marks a layout.
 *
 * Bytes go in, structs come out; nothing here opens a file. Keys that we do not know are passed over, as the
 * image spec wants it; a known key of the wrong type, a digest that is not sha256, a size that is no number,
 * or a list past its limit is an error with the document's name, line and column. A document that calls
 * itself another type than its descriptor does, or that is index and manifest at once, is refused: two
 * readers would see two images in it.
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

/* A blob by its digest, and what is said of it. */
struct image_descriptor {
  char *media_type;
  char hex[SHA256_HEX]; /* the digest without "sha256:" */
  uint64_t size;
  char *tag;               /* org.opencontainers.image.ref.name; NULL without */
  char *os, *architecture; /* platform; NULL without */
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

/* What the image's maker had in mind. Only for information: the profile decides. */
struct image_config {
  char *os, *architecture;
  char *user, *working_directory; /* NULL without */
  struct strlist environment, entrypoint, command;
  char (*diffs)[SHA256_HEX]; /* the digest of each layer when unpacked */
  size_t diff_count;
};

/* NAME stands in front of messages. MEDIA_TYPE is what the descriptor said, NULL for the index of a layout.
 */
int image_index_parse (const char *name, const char *media_type, const char *text, size_t len,
                       struct image_index *ret_index, struct error *err);
int image_manifest_parse (const char *name, const char *media_type, const char *text, size_t len,
                          struct image_manifest *ret_manifest, struct error *err);
int image_config_parse (const char *name, const char *text, size_t len, struct image_config *ret_config,
                        struct error *err);

/* The file "oci-layout": 0 when its version is one that we know. */
int image_mark_parse (const char *name, const char *text, size_t len, struct error *err);

void image_index_clear (struct image_index *index);
#define cleanup_image_index cleanup (image_index_clear)
void image_manifest_clear (struct image_manifest *manifest);
#define cleanup_image_manifest cleanup (image_manifest_clear)
void image_config_clear (struct image_config *config);
#define cleanup_image_config cleanup (image_config_clear)
