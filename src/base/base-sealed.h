/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of a program that nobody can write to any more.
 *
 * A container that gets at the executable of the program that made it, through /proc, can overwrite it and is
 * root on the host at its next start (CVE-2019-5736). A program that is executed from a sealed memory file
 * has no file to overwrite. libcrun insists on such a copy, and tyrum-oci-libcrun-helper makes one of itself
 * when it was not started from one; who starts it from one to begin with saves a second execution of it.
 */
#pragma once

#include <stdbool.h>

/* Nobody can write to the file: it is sealed, or its file system is read-only. True also when that cannot be
 * told. */
bool sealed_is (int fd);

/* A sealed copy of the regular file FD, from its start, to be executed with fexecve; close-on-exec. Answers
 * the descriptor or a negative errno. */
int sealed_copy (int fd);
