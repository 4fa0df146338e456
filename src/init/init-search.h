/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Executes a command: the search along PATH.
 *
 * Like execvp, with two differences. Nothing is allocated. A file in a format that the kernel does not know
 * is an error, and not handed to a shell.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* Executes ARGV[0] with init's own environment. Returns only on failure: -ENOENT if there is no such program
 * (exit code 127 in shells), otherwise why the program that was found cannot be executed (126). */
int search_exec (char *const argv[]);

/* The first file called NAME, which has no slash, along PATH. */
bool search_find (const char *name, char ret_path[PATH_MAX]);
