/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layers of an image, laid over each other in a directory.
 *
 * Archives are hostile. Every entry is made by our own code beneath the directory's descriptor, and no link
 * is followed, so an entry can only ever change what is below the root. Refused, and with it the image: ".."
 * in a name, a name below a symbolic link, devices, FIFOs and sockets, hard links to anything but a regular
 * file inside, absolute hard links, and whatever goes past a limit. Kept: contents, symbolic links as they
 * are (they mean something inside only), permission bits, times, "user." attributes that no file system gives
 * a meaning to. Dropped and counted: set-user-id and set-group-id bits unless asked for, file capabilities
 * and all other attributes. Whiteouts delete from the layers below their own, in whatever order a layer lists
 * them.
 *
 * Each layer's bytes are checked against the manifest's digest, and unpacked against the configuration's.
 * That is known only when a layer was read to its end: after an error, throw the directory away.
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
  IMAGE_STAGE_UNPACK, /* LAYER of LAYERS, BYTES of TOTAL as they are packed, all layers together */
  IMAGE_STAGE_DONE,   /* however it went: nothing more will be told */
};

struct image_progress {
  enum image_stage stage;
  size_t layer, layers; /* LAYER counts from 1 */
  uint64_t bytes, total;
};

/* Called when a layer begins and about once in a megabyte. A negative errno stops the work with that error.
 */
typedef int image_progress_teller (void *data, const struct image_progress *progress);

struct image_unpack_options {
  bool keep_owner; /* give files the numeric owners of the archive, which only root can; else they are ours */
  bool keep_setid; /* keep set-user-id and set-group-id bits */
  bool walk;       /* do without openat2, as on a kernel that has none */
  image_progress_teller *tell; /* may be NULL */
  void *tell_data;

  /* 0 stands for the LIMIT_IMAGE_... of base-limits.h, which is also the most. */
  uint64_t bytes_max, entries_max;
  unsigned depth_max;
};

struct image_report {
  uint64_t entries, bytes; /* in the archives; holes count as bytes */
  uint64_t whiteouts;
  uint64_t setid_dropped;
  uint64_t capabilities_dropped; /* files that would have had some */
  uint64_t attributes_dropped;   /* others */
};

/* ROOT is an empty directory that nobody else can reach, opened. Errors: -EINVAL and -EPERM for what is
 * refused, -EFBIG past a limit, -EBADMSG for what is damaged, or what the system says. */
int image_unpack (const struct image *image, int root, const struct image_unpack_options *options,
                  struct image_report *ret_report, struct error *err);
