/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A layer's archive, entry by entry. The only user of libarchive.
 *
 * Bytes come from a callback, compressed as the media type says; entries come out as plain values. A
 * compressed layer goes through two readers: one that only decompresses and one that only reads tar. The
 * bytes between them are counted and hashed, and no format or filter but the declared one is ever tried. No
 * program is started: if libarchive needs one to decompress, the layer is refused.
 *
 * Names are the bytes in the archive, whatever the locale. Nothing here judges or touches a path. libarchive
 * is large, so it is loaded when the first archive is opened; without it, opening fails.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "base-sha256.h"
#include "image-document.h"

enum image_entry_kind {
  IMAGE_ENTRY_FILE,
  IMAGE_ENTRY_DIRECTORY,
  IMAGE_ENTRY_SYMLINK,
  IMAGE_ENTRY_HARDLINK,
  IMAGE_ENTRY_DEVICE,
  IMAGE_ENTRY_FIFO,
  IMAGE_ENTRY_SOCKET,
  IMAGE_ENTRY_OTHER,
};

/* Strings are valid until the next entry is read. */
struct image_entry {
  enum image_entry_kind kind;
  const char *name;
  const char *target;   /* of a link; never NULL for one */
  mode_t mode;          /* permission bits, 07777 */
  int64_t uid, gid;     /* as stored; may be out of range */
  struct timespec time; /* mtime; tv_nsec is UTIME_OMIT if none is stored */
  uint64_t size;        /* of a file, holes included */
};

struct image_archive;

/* Fills BUFFER; *RET_LEN is 0 at the end. */
typedef int image_archive_reader (void *data, void *buffer, size_t size, size_t *ret_len, struct error *err);

/* UNPACKED_MAX limits the size of the tar archive after decompression. */
int image_archive_open (image_archive_reader *read, void *data, enum image_packing packing,
                        uint64_t unpacked_max, struct image_archive **ret_archive, struct error *err);

/* 1 and the next entry, 0 at the end, or an error. */
int image_archive_next (struct image_archive *archive, struct image_entry *ret_entry, struct error *err);

/* 1 and a piece of the entry's data, which belongs at *RET_OFFSET; 0 at its end. Offsets grow; gaps are
 * holes. */
int image_archive_data (struct image_archive *archive, const void **ret_bytes, size_t *ret_len,
                        uint64_t *ret_offset, struct error *err);

/* 1 and the entry's next extended attribute, or 0. */
int image_archive_attribute (struct image_archive *archive, const char **ret_name, const void **ret_value,
                             size_t *ret_len);

/* Reads what follows the last entry, and gives the digest and the number of all unpacked bytes. */
int image_archive_finish (struct image_archive *archive, char hex[SHA256_HEX], uint64_t *ret_unpacked,
                          struct error *err);

void image_archive_free (struct image_archive *archive);
DEFINE_CLEANUP (struct image_archive, image_archive_free)
#define cleanup_image_archive cleanup (image_archive_free_p)
