/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entries of a directory, without a heap.
 *
 * readdir allocates; this keeps a piece of the listing on the caller's stack. "." and ".." are left out. The
 * caller keeps the descriptor.
 */
#pragma once

#include <stddef.h>

#define LISTING_BYTES 2048

struct listing {
  int fd;
  size_t at, len;
  unsigned char type; /* of the last entry: DT_REG etc. */
  char bytes[LISTING_BYTES];
};

void listing_start (struct listing *listing, int fd);

/* 1 and a name that is valid until the next call, 0 at the end, or a negative errno. */
int listing_next (struct listing *listing, const char **ret_name);
