/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths opened beneath a directory, without following a link of any kind.
 *
 * openat2 does it where the kernel has it (5.6) and a filter lets it through; otherwise the path is walked
 * name by name with O_NOFOLLOW, which comes to the same. The caller can ask for the walk, so that both are
 * tested.
 */
#pragma once

#include <stdbool.h>

/* PATH is relative and normal (path_is_beneath), or "" for the directory itself. Gives a descriptor, or a
 * negative errno: -ELOOP or -ENOTDIR where a link is on the way. With O_PATH, O_DIRECTORY must be among the
 * FLAGS, as O_PATH alone opens a link. */
int image_beneath_open (int root, const char *path, int flags, bool walk);
