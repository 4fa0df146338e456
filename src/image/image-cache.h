/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpacked images, cached by the digest of their manifest.
 *
 *     STATE/images/sha256-HEX/rootfs       the tree
 *     STATE/images/sha256-HEX/complete     written last; records what was unpacked
 *     STATE/images/sha256-HEX.lock         shared to use the tree, exclusive to make or remove it
 *     STATE/images/.tmp-sha256-HEX-...     a tree that is being made, or that a crash left
 *
 * A tree with set-id bits is cached separately: sha256-HEX.setid. A tree is made under a temporary name,
 * synced and renamed, so it exists whole or not at all; one whose mark is absent or for another image is
 * removed and made again. Locks are flock's: they end with their process. A layout that changes has a new
 * digest and so a new tree.
 *
 * The directory's mode is 0700, because the files in the trees have the owners and modes that the image
 * chose. Must never: use a tree that is not complete, change one that is, or remove one that is in use.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base-cleanup.h"
#include "base-error.h"
#include "image-layout.h"
#include "image-unpack.h"

struct image_cache {
  int fd;
  char *path; /* STATE/images */
};

/* Makes STATE and the directory if they are missing. -EPERM if other users could have written there. */
int image_cache_open (const char *state, struct image_cache *ret_cache, struct error *err);
/* The same for gc: where there is no cache none is made, and the descriptor stays -1. */
int image_cache_open_existing (const char *state, struct image_cache *ret_cache, struct error *err);
void image_cache_close (struct image_cache *cache);
#define cleanup_image_cache cleanup (image_cache_close)

/* A tree in use. gc leaves it alone until image_root_release, or until the process ends. A child that
 * outlives us must keep the lock's descriptor, which is close-on-exec. */
struct image_root {
  int fd;     /* the tree's root, with O_PATH */
  int lock;   /* shared */
  char *path; /* of the tree's root */
  bool fresh; /* we have just unpacked it */
  struct image_report report;
};

/* Finds the tree of IMAGE or makes it; waits if another process is making it. OPTIONS as in image_unpack, but
 * owners are kept if and only if we are root. -EINTR when a signal ended the wait. */
int image_cache_get (struct image_cache *cache, const struct image *image,
                     const struct image_unpack_options *options, struct image_root *ret_root,
                     struct error *err);
void image_root_release (struct image_root *root);
#define cleanup_image_root cleanup (image_root_release)

#define IMAGE_CACHE_FOREVER UINT64_MAX

/* Removes what crashes left, and trees that were not used for UNUSED_SECONDS. Skips what is locked.
 * *RET_REMOVED counts trees, complete or not. */
int image_cache_gc (struct image_cache *cache, uint64_t unused_seconds, size_t *ret_removed,
                    struct error *err);
