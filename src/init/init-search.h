/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the payload's words to a running program: the search along PATH.
 *
 * As execvp does it, with two differences. Nothing is allocated. And a file in a format that the kernel does
 * not know is an error, and not handed to a shell: what runs is what was asked for.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Executes ARGV[0] with init's own environment, and returns only if that failed: -ENOENT if there is no such
 * program (exit code 127 in shells), otherwise why the one that was found cannot be run (126). */
int search_exec (char *const argv[]);

/* The file that NAME, which has no slash, stands for: the first of that name along PATH. */
bool search_find (const char *name, char ret_path[PATH_MAX]);
