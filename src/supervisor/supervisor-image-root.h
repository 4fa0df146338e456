/* A root from an image: the layout is read and checked, its tree found in the cache or unpacked into it, and
 * the launch gets the tree as the directory that its root is. The cache keeps the tree as long as the root is
 * held. */
#pragma once

#include "base-error.h"
#include "image-cache.h"
#include "plan-launch.h"

/* Does nothing for a plan without an image. CACHE is the directory for unpacked images. TELL may be NULL. */
int run_image (const struct plan *plan, const char *machine, const char *cache, image_progress_teller *tell,
               void *tell_data, struct launch *launch, struct image_root *ret_root, struct error *err);
