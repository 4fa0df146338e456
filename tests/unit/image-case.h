/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Image layouts for tests, made byte by byte so that hostile ones can be made, too.
 *
 * A tar grows entry by entry in memory, is packed if wanted, and becomes a layer; layers, a configuration and
 * a manifest become a layout in a directory. What is right by default can be made wrong afterwards by writing
 * over its file. Everything fails the test that called it, so nothing needs checking.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base-sha256.h"
#include "image-document.h"

struct tar {
  char *bytes;
  size_t len;
};

/* Type flags are those of ustar: '0' file, '1' hard link, '2' symbolic link, '3' and '4' devices, '5'
 * directory, '6' FIFO. */
struct tar_entry {
  char type;
  const char *name;
  const char *target;
  const char *data;
  size_t data_len; /* 0: the length of DATA as a string */
  unsigned mode;   /* 0: 0644, or 0755 for a directory */
  unsigned uid, gid;
  uint64_t mtime;
  uint64_t size_says; /* the header's size when it is not that of the data */
};

void tar_put (struct tar *tar, struct tar_entry entry);
void tar_file (struct tar *tar, const char *name, const char *data);
void tar_directory (struct tar *tar, const char *name, unsigned mode);
void tar_link (struct tar *tar, char type, const char *name, const char *target);
/* A pax header with one record for the entry that follows. */
void tar_pax (struct tar *tar, const char *key, const char *value);
void tar_bytes (struct tar *tar, const void *bytes, size_t len);
void tar_clear (struct tar *tar);
#define cleanup_tar cleanup (tar_clear)

struct case_layer {
  char hex[SHA256_HEX], diff[SHA256_HEX];
  size_t size;
  const char *media_type;
};

/* Makes DIRECTORY with the layout's mark. */
void case_layout (const char *directory);
/* Puts bytes under their digest. */
void case_blob (const char *directory, const void *bytes, size_t len, char hex[SHA256_HEX]);
/* Ends the tar (two blocks of zeros), packs it and puts it down; TAR is empty afterwards. */
struct case_layer case_layer (const char *directory, struct tar *tar, enum image_packing packing);
/* Configuration and manifest; HEX is the manifest's digest, *RET_SIZE its size. */
void case_manifest (const char *directory, const struct case_layer *layers, size_t count,
                    char hex[SHA256_HEX], size_t *ret_size);
/* The index with one manifest; TAG may be NULL. */
void case_index (const char *directory, const char *hex, size_t size, const char *tag);
/* All of it, for an image of COUNT layers; HEX may be NULL. */
void case_image (const char *directory, const struct case_layer *layers, size_t count, char hex[SHA256_HEX]);

/* Packs: gzip without making it smaller, zstd only where one byte repeats. */
void case_pack (const void *bytes, size_t len, enum image_packing packing, struct tar *into);

/* Files, for what the builders do not cover. FORMAT makes a path. */
void case_write (const char *path, const void *bytes, size_t len);
void case_write_text (const char *path, const char *text);

/* Setup and teardown: a directory of the test's own, which is also the working directory; *STATE is its path.
 */
int case_enter (void **state);
int case_leave (void **state);

/* What is at PATH, as text: "f 0644 data", "d 0755", "l target", "-" for nothing. In a buffer of its own. */
const char *case_look (const char *path);
