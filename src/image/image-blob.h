/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One blob of a layout, read once, with its digest and size checked on the way.
 *
 * The caller gets bytes before the digest is known, so it must be able to discard what it did with them: only
 * image_blob_finish confirms that they match the descriptor.
 *
 * Must never: follow a link inside the layout, wait on anything but a regular file, or read past the declared
 * size.
 */
#pragma once

#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-sha256.h"
#include "image-document.h"

struct image_blob {
  int fd;
  uint64_t size, done;
  char hex[SHA256_HEX];
  struct sha256 hash;
};

/* LAYOUT is the layout's directory. Errors: -ENOENT when the blob is missing, -EBADMSG when its size
 * differs. */
int image_blob_open (int layout, const struct image_descriptor *descriptor, struct image_blob *ret_blob,
                     struct error *err);

/* Up to SIZE bytes; *RET_LEN is 0 at the end. */
int image_blob_read (struct image_blob *blob, void *buffer, size_t size, size_t *ret_len, struct error *err);

/* Reads the rest and compares. -EBADMSG when digest or size differ. */
int image_blob_finish (struct image_blob *blob, struct error *err);

void image_blob_close (struct image_blob *blob);
#define cleanup_image_blob cleanup (image_blob_close)

/* Reads and checks a whole small blob; a NUL is added and not counted. -EFBIG past MAX. */
int image_blob_read_all (int layout, const struct image_descriptor *descriptor, size_t max, char **ret_text,
                         size_t *ret_len, struct error *err);

/* Reads a whole small file of the layout that has no digest. */
int image_file_read_all (int layout, const char *name, size_t max, char **ret_text, size_t *ret_len,
                         struct error *err);
