/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which programs the command may execute: Landlock's right to execute, for it and its descendants.
 *
 * In: paths from the supervisor, before the go-ahead. What a listed program needs to run is allowed with it:
 * the interpreter of a script, the program that "#!/usr/bin/env NAME" finds, the loader of a dynamic one. A
 * path that does not exist is skipped. Init makes the rules, because it sees the same root as the command,
 * and the command's process puts them in force right before the exec: init itself is not restricted. Files
 * may be hostile: only regular ones are read, and nothing blocks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "init-failure.h"

/* PATHS are LENGTH bytes, each path ends with a NUL. To be called once. */
int tools_prepare (const unsigned char *paths, size_t length, struct failure *failure);

/* Restricts the calling process. 0 also without paths: then everything may be executed. */
int tools_confine (void);
