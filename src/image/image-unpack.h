/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpacks the layers of an image over each other into a directory.
 *
 * Archives are hostile. Our own code makes every entry beneath the directory's descriptor, and no link is
 * followed, so an entry can only change what is below the root. These refuse the image: ".." in a name, a
 * name below a symbolic link, devices, FIFOs and sockets, hard links to anything but a regular file inside,
 * absolute hard links, and any limit exceeded. Kept: contents, symbolic links as they are (they are only
 * resolved inside), permission bits, times, and "user." attributes that no file system interprets. Dropped
 * and counted: set-user-id and set-group-id bits unless asked for, file capabilities, and all other
 * attributes. Whiteouts delete from the layers below their own, whatever their position in the layer.
 *
 * Each layer's bytes are checked against the manifest's digest, and the unpacked bytes against the
 * configuration's. The result is known only after a layer's last byte: after an error, the caller must
 * discard the directory.
 *
 * Must never: write to an existing file, follow a link, or start a program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-error.h"
#include "image-layout.h"

enum image_stage {
  IMAGE_STAGE_WAIT,   /* another process unpacks the same image */
  IMAGE_STAGE_UNPACK, /* LAYER of LAYERS; BYTES of TOTAL, compressed, all layers together */
  IMAGE_STAGE_DONE,   /* the last report, also after an error */
};

struct image_progress {
  enum image_stage stage;
  size_t layer, layers; /* LAYER counts from 1 */
  uint64_t bytes, total;
};

/* Called when a layer begins and about once per megabyte. A negative errno stops the work with that error. */
typedef int image_progress_teller (void *data, const struct image_progress *progress);

struct image_unpack_options {
  bool keep_owner; /* give files the numeric owners of the archive (needs root); else they are ours */
  bool keep_setid; /* keep set-user-id and set-group-id bits */
  bool walk;       /* do not use openat2, as on a kernel without it */
  image_progress_teller *tell; /* may be NULL */
  void *tell_data;

  /* 0 means LIMIT_IMAGE_... of base-limits.h, which is also the maximum. */
  uint64_t bytes_max, entries_max;
  unsigned depth_max;
};

struct image_report {
  uint64_t entries, bytes; /* in the archives; holes count as bytes */
  uint64_t whiteouts;
  uint64_t setid_dropped;
  uint64_t capabilities_dropped; /* files that had some */
  uint64_t attributes_dropped;   /* others */
};

/* ROOT is an empty directory, open, that no other user can reach. Errors: -EINVAL and -EPERM for refused
 * entries, -EFBIG past a limit, -EBADMSG for a damaged image, or the system's errno. */
int image_unpack (const struct image *image, int root, const struct image_unpack_options *options,
                  struct image_report *ret_report, struct error *err);
