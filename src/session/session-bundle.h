/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bundle on disk: the directory that an OCI runtime is started with.
 *
 * It holds config.json and, where the root is put together from the host, the skeleton of that root:
 * directories and files to mount on, links, and the few files that are made for a run. Everything is created
 * beneath an open directory without following links; config.json is created last, so a bundle that has it is
 * complete. After a failure everything that was created is removed.
 *
 * Must never: write into a directory that is not empty, follow a link, or leave half a bundle behind.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

/* DIRECTORY is created, or has to be empty. DOCUMENT becomes config.json. */
int bundle_write (const char *directory, const struct plan *plan, const char *document, struct error *err);
