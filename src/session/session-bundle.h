/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bundle on disk: the directory that an OCI runtime is started with.
 *
 * It holds config.json and, where the root is put together from the host, the skeleton of that root:
 * directories and files to mount on, links, and the few files that a run has of its own. Everything is made
 * beneath an open directory, step by step and without following links; config.json comes last, so a runtime
 * that finds it finds the rest. When anything fails, what was made is removed again.
 *
 * Must never: write into a directory that holds something, follow a link, or leave half a bundle behind.
 */
#pragma once

#include "base-error.h"
#include "plan-plan.h"

/* DIRECTORY is made if it does not exist, and has to be empty if it does. DOCUMENT becomes config.json. */
int bundle_write (const char *directory, const struct plan *plan, const char *document, struct error *err);
