/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpacked images, kept by the digest of their manifest.
 *
 *     STATE/images/sha256-HEX/rootfs       the tree
 *     STATE/images/sha256-HEX/complete     written last; says what was unpacked
 *     STATE/images/sha256-HEX.lock         shared to use the tree, exclusive to make or remove it
 *     STATE/images/.tmp-sha256-HEX-...     a tree that is being made, or that a crash left
 *
 * With set-id bits kept, a tree is another one: sha256-HEX.setid. A tree is made under a temporary name,
 * brought to the disk and renamed, so it is there whole or not at all; one without its mark, or with
 * another's, is removed and made again. Locks are the kernel's (flock): they end with their process, however
 * it ends. A layout that changes gets another digest and so another tree.
 *
 * The directory is ours alone (0700), since the trees hold what others made, with owners and modes of their
 * choice. Must never: use a tree that is not complete, change one that is, or remove one that is in use.
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

/* Makes STATE and the directory where they are missing. -EPERM when others could have written there. */
int image_cache_open (const char *state, struct image_cache *ret_cache, struct error *err);
void image_cache_close (struct image_cache *cache);
#define cleanup_image_cache cleanup (image_cache_close)

/* A tree in use. It stays until image_root_release, or until the process ends; children that are to outlive
 * us must keep the lock's descriptor, which is close-on-exec. */
struct image_root {
  int fd;     /* the tree's root, with O_PATH */
  int lock;   /* shared */
  char *path; /* of the tree's root */
  bool fresh; /* it was unpacked just now, by us */
  struct image_report report;
};

/* Finds the tree of IMAGE or makes it, waiting for another process that does. OPTIONS as in image_unpack, but
 * owners are kept when we are root and only then. -EINTR when a signal ended the wait. */
int image_cache_get (struct image_cache *cache, const struct image *image,
                     const struct image_unpack_options *options, struct image_root *ret_root,
                     struct error *err);
void image_root_release (struct image_root *root);
#define cleanup_image_root cleanup (image_root_release)

#define IMAGE_CACHE_FOREVER UINT64_MAX

/* Removes what crashes left, and trees that nobody has used for UNUSED_SECONDS. What is locked is left alone.
 * *RET_REMOVED counts trees, whole and half. */
int image_cache_gc (struct image_cache *cache, uint64_t unused_seconds, size_t *ret_removed,
                    struct error *err);
