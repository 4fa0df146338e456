/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mount points in a container's root, found and made by us and not by the low-level runtime.
 *
 * A runtime in a user namespace cannot make them in a root that belongs to ids outside of it; and one that
 * walks an image's links may be led somewhere else. The root is walked as the container would see it, never
 * out of it; what is missing is made, as the runtime would have. The kernel's own places must not be links at
 * all: device nodes have been made on the host through those (CVE-2026-41579, CVE-2026-47766).
 */
#pragma once

#include "base-error.h"
#include "base-json-edit.h"

/* ROOT is the path of the root. Destinations in CONFIG become what their links lead to. */
int points_make (const char *root, struct json_node *config, struct error *err);
