/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the mount points of a specification lie when the links of the image are followed.
 *
 * Engines write /var/run/x or /etc/localtime, which are links in many images. Mount points are judged, made
 * and proven by the path without links, so the links are resolved once, before the specification is
 * restricted. Only names are computed here: points_make opens the result again without following any link, so
 * a link that changes in between is refused.
 */
#pragma once

#include "base-error.h"
#include "base-json-read.h"
#include "restrict-restrict.h"

/* ROOT is the path of the container's root. /tmp is among the points even if CONFIG mounts nothing there.
 * Destinations below the kernel's own places, and below other mounts, are left as they are. */
int image_links_follow (const char *root, const struct json_node *config, struct spec_points *ret_points,
                        struct error *err);
