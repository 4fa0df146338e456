/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths that the supervisor asks about, in a root that may be hostile.
 *
 * The last component of a path is never followed. Only files, directories and memory devices are opened
 * (/dev/null is what masks a file). Opening a FIFO, a terminal or any other device may block, consume a byte
 * or start a machine; the answer for those is EOPNOTSUPP.
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "init-answer.h"

/* The question as a path. -ENOENT if it is empty, -ENAMETOOLONG, -EINVAL if it contains a NUL. */
int path_asked (const struct asked *asked, char ret_path[PATH_MAX]);

/* The same, and its lstat. */
int path_look (const struct asked *asked, char ret_path[PATH_MAX], struct stat *ret_status);

/* Opens the path with FLAGS and the flags that make opening harmless. */
int path_open (const char *path, int flags);

/* The same, only if LOOKED, its lstat, is a harmless type. RET_STATUS describes what was opened. */
int path_open_harmless (const char *path, int flags, const struct stat *looked, struct stat *ret_status);

/* -EXDEV if PATH is /proc or below it, but STATUS is not on the kernel's /proc: files that the root brings
 * are no evidence. Compares devices, because gVisor does not report the file system type of a file in
 * /proc. */
int path_check_proc (const char *path, const struct stat *status);
