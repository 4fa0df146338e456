/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "init-listing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An entry as getdents64 gives it. */
struct entry {
  uint64_t inode;
  int64_t next;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

void listing_start (struct listing *listing, int fd)
{
  listing->fd = fd;
  listing->at = listing->len = 0;
}

static int read_piece (struct listing *listing)
{
  long len = syscall (SYS_getdents64, listing->fd, listing->bytes, sizeof listing->bytes);

  if (len < 0)
    return -errno;
  listing->at = 0;
  listing->len = (size_t) len;
  return len > 0;
}

int listing_next (struct listing *listing, const char **ret_name)
{
  for (;;) {
    uint16_t bytes;

    if (listing->at == listing->len) {
      int r = read_piece (listing);
      if (r <= 0)
        return r;
    }
    const char *entry = listing->bytes + listing->at, *name = entry + offsetof (struct entry, name);
    memcpy (&bytes, entry + offsetof (struct entry, bytes), sizeof bytes);
    listing->at += bytes;
    if (strcmp (name, ".") == 0 || strcmp (name, "..") == 0)
      continue;
    listing->type = (unsigned char) entry[offsetof (struct entry, type)];
    *ret_name = name;
    return 1;
  }
}
