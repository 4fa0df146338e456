/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the unpacking of an image is, on one line of standard error that is gone when it is done. Only
 * where standard error is a terminal: a log has no use for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image-unpack.h"

struct progress {
  int fd;
  uint64_t shown_ms; /* when, last */
  size_t width;      /* of what stands there now */
};

/* False where nobody would see it. */
bool progress_init (struct progress *progress, int fd);

/* An image_progress_teller; DATA is a struct progress. */
int progress_tell (void *data, const struct image_progress *told);
