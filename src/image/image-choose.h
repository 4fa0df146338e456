/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which image of an index a reference selects.
 *
 * By tag, then by platform: Linux on this machine's architecture, as the image spec names it ("amd64"). Pure:
 * an index and two names go in, one of the index's entries comes out, or an error that lists the choices.
 */
#pragma once

#include "base-error.h"
#include "image-document.h"

/* The image spec's name for the machine that the kernel calls MACHINE ("x86_64" is "amd64"); MACHINE itself
 * if both use the same name. */
const char *image_architecture (const char *machine);

/* TAG may be NULL: then the index must hold one image, or untagged images for several platforms. Takes the
 * first match, as the image spec requires. *RET_CHOSEN points into INDEX. -ENOENT if none matches. */
int image_choose (const struct image_index *index, const char *tag, const char *architecture,
                  const struct image_descriptor **ret_chosen, struct error *err);
