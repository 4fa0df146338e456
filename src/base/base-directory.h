/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Private directories for data that outlives runs: the image cache, the audit journal, compiled filters.
 *
 * Takes a state directory and a name in it; returns an open directory that belongs to our effective user and
 * that no other user can access. Missing directories are created with mode 0700.
 *
 * Must never: use a directory that others can write, or follow a symbolic link in its place.
 */
#pragma once

#include "base-error.h"

/* Opens STATE/NAME, and creates it if it is missing. WHAT names it in messages. Returns
 * a descriptor or an error. */
int directory_make_own (const char *state, const char *name, const char *what, struct error *err);

/* The same without creating or changing anything: -ENOENT where it is missing. */
int directory_open_own (const char *state, const char *name, const char *what, struct error *err);
