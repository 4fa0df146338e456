/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths that the supervisor asks about, in a root that may be hostile.
 *
 * The last part of a path is never followed. Opened is only what does not react to it: files, directories,
 * and the devices of memory (/dev/null is what masks a file). A FIFO, a terminal or any other device may
 * wait, eat a byte or start a machine; of those it is said that they were not opened: EOPNOTSUPP.
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "init-answer.h"

/* The question as a path. -ENOENT if it is empty, -ENAMETOOLONG, -EINVAL if there is a NUL in it. */
int path_asked (const struct asked *asked, char ret_path[PATH_MAX]);

/* The same, and what lstat says of it. */
int path_look (const struct asked *asked, char ret_path[PATH_MAX], struct stat *ret_status);

/* The path's descriptor, opened with FLAGS and what keeps it from doing harm. */
int path_open (const char *path, int flags);

/* The same if LOOKED, what lstat said, is harmless. RET_STATUS is what was opened. */
int path_open_harmless (const char *path, int flags, const struct stat *looked, struct stat *ret_status);

/* -EXDEV if PATH says that it is /proc or in it, and what is there, STATUS, is not on the kernel's: a root
 * that brings files of its own does not speak for the kernel. By the device, because gVisor does not tell the
 * file system of a file in /proc. */
int path_check_proc (const char *path, const struct stat *status);
