/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which image of an index is meant.
 *
 * By tag, then by platform: Linux on this machine's architecture, in the image spec's own words ("amd64").
 * Pure: an index and two names go in, one of the index's entries comes out, or an error that lists what there
 * is.
 */
#pragma once

#include "base-error.h"
#include "image-document.h"

/* The image spec's name for a machine that the kernel calls MACHINE ("x86_64" is "amd64"); MACHINE itself
 * where both use the same. */
const char *image_architecture (const char *machine);

/* TAG may be NULL: then there must be one image only, or one for each platform without any tag. The first
 * that fits is taken, as the image spec has it. *RET_CHOSEN points into INDEX. -ENOENT when none fits. */
int image_choose (const struct image_index *index, const char *tag, const char *architecture,
                  const struct image_descriptor **ret_chosen, struct error *err);
