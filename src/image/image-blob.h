/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One blob of a layout, read once, with its digest and size checked on the way.
 *
 * Bytes are handed out as they are read, so a caller acts on them before the digest is known, and must be
 * able to throw away what it did: only image_blob_finish says that all of it was what the descriptor
 * promised.
 *
 * Must never: follow a link inside the layout, wait on what is not a regular file, or read past the promised
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

/* LAYOUT is the layout's directory. Errors: -ENOENT when the blob is missing, -EBADMSG when its size is
 * another.
 */
int image_blob_open (int layout, const struct image_descriptor *descriptor, struct image_blob *ret_blob,
                     struct error *err);

/* Up to SIZE bytes; *RET_LEN is 0 at the end. */
int image_blob_read (struct image_blob *blob, void *buffer, size_t size, size_t *ret_len, struct error *err);

/* Reads what is left and compares. -EBADMSG when digest or size differ. */
int image_blob_finish (struct image_blob *blob, struct error *err);

void image_blob_close (struct image_blob *blob);
#define cleanup_image_blob cleanup (image_blob_close)

/* A whole small blob, checked; a NUL behind it is not counted. -EFBIG past MAX. */
int image_blob_read_all (int layout, const struct image_descriptor *descriptor, size_t max, char **ret_text,
                         size_t *ret_len, struct error *err);

/* A whole small file of the layout that no digest covers. */
int image_file_read_all (int layout, const char *name, size_t max, char **ret_text, size_t *ret_len,
                         struct error *err);
