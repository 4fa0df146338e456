/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mount points in a container's root, found and made by us and not by the low-level runtime.
 *
 * A runtime in a user namespace cannot make them in a root that belongs to ids outside of it; and one that
 * follows an image's links may be led out of the root: device nodes have been made on the host that way
 * (CVE-2026-41579, CVE-2026-47766). So no link is followed here. What is missing is made, as the runtime
 * would have.
 */
#pragma once

#include "base-error.h"
#include "base-json-read.h"

/* ROOT is the path of the root. The destinations in CONFIG have no links (shim-image-links.h). */
int points_make (const char *root, const struct json_node *config, struct error *err);

/* The working directory, which runc makes and crun does not; unless it lies on a mount. */
int points_make_cwd (const char *root, const struct json_node *config, struct error *err);
