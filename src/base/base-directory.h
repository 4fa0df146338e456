/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories of our own for what outlives runs: the image cache, the audit journal, compiled filters.
 *
 * A state directory and a name in it go in, an open directory comes out that belongs to us and to which
 * nobody else has access. What is missing on the way is made, for us alone.
 *
 * Must never: use a directory that others can write, or follow a link that stands in its place.
 */
#pragma once

#include "base-error.h"

/* Opens STATE/NAME. WHAT is what messages call it. A descriptor, or an error. */
int directory_make_own (const char *state, const char *name, const char *what, struct error *err);

/* The same without making or changing anything: -ENOENT where it is missing. */
int directory_open_own (const char *state, const char *name, const char *what, struct error *err);
