/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths opened beneath a directory, without following a link of any kind.
 *
 * Uses openat2 where the kernel has it (5.6) and no seccomp filter refuses it; otherwise opens one component
 * at a time with O_NOFOLLOW, to the same effect. The caller can ask for the second way, so that both are
 * tested.
 */
#pragma once

#include <stdbool.h>

/* PATH is relative and normal (path_is_beneath), or "" for the directory itself. Gives a descriptor, or a
 * negative errno: -ELOOP or -ENOTDIR where the path goes through a link. With O_PATH, FLAGS must include
 * O_DIRECTORY, as O_PATH alone opens a link. */
int image_beneath_open (int root, const char *path, int flags, bool walk);
