/* Paths that the supervisor asks about, in a root that may be hostile.
 *
 * The last part of a path is never followed. Opened is only what does not react to it: files, folders, and
 * the devices of memory (/dev/null is what masks a file). A FIFO, a terminal or any other device may wait,
 * eat a byte or start a machine; of those it is said that they were not opened: EOPNOTSUPP.
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "init-answer.h"

/* The question as a path. -ENOENT if it is empty, -ENAMETOOLONG, -EINVAL if there is a NUL in it. */
int path_asked (const struct asked *asked, char ret_path[PATH_MAX]);

/* As lstat, in one system call. */
int path_look (const char *path, struct stat *ret_status);

/* The path's descriptor, opened with FLAGS and what keeps it from doing harm. */
int path_open (const char *path, int flags);

/* The same after a look at what it is. RET_STATUS is what was opened. */
int path_open_harmless (const char *path, int flags, struct stat *ret_status);

/* -EXDEV if PATH says that it is in /proc, and FD is not in the kernel's: a root that brings files of its own
 * there does not speak for the kernel. */
int path_check_proc (const char *path, int fd);
