/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Progress of unpacking an image, on one line of standard error that is erased at the end. Only shown on a
 * terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image-unpack.h"

struct progress {
  int fd;
  uint64_t shown_ms; /* when it was last updated */
  size_t width;      /* of the text that is shown */
};

/* False if FD is no terminal. */
bool progress_init (struct progress *progress, int fd);

/* An image_progress_teller; DATA is a struct progress. */
int progress_tell (void *data, const struct image_progress *told);
