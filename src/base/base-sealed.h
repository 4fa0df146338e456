/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sealed, unwritable copies of a program.
 *
 * A container that reaches the executable of its runtime through /proc can overwrite it and becomes root on
 * the host when the runtime is next started (CVE-2019-5736). A program that is executed from a sealed memory
 * file has no file to overwrite. libcrun requires such a copy: tyrum-oci-libcrun-helper copies and executes
 * itself again unless it was started from one, so starting it from a sealed copy saves one exec.
 */
#pragma once

#include <stdbool.h>

/* Whether the file cannot be written: it is sealed, or its file system is read-only. True
 * also if that is unknown. */
bool sealed_is (int fd);

/* Returns a sealed copy of the regular file FD, from its start, for fexecve; close-on-exec. A
 * descriptor or a negative errno. */
int sealed_copy (int fd);
