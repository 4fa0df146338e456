/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files: whole, bounded reads of small documents, and atomic writes.
 *
 * Only regular files are read. A size beyond the caller's bound is refused before a byte is read, a FIFO or a
 * device is refused without waiting for it, and a file that reports no size (as in /proc) is read until it
 * ends or exceeds the bound. All checks apply to the opened descriptor that is then read, so replacing the
 * path meanwhile has no effect.
 *
 * Must never: block on anything but a regular file, return part of a file as if it were the whole,
 * or leave a temporary file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base-error.h"
#include "base-str.h"

/* Reads the whole of PATH, relative to DIRFD (or AT_FDCWD), following links. The text is followed by a NUL
 * that *RET_LEN does not count; it may contain others. RET_LEN may be NULL. Errors: -EFBIG past MAX,
 * -EISDIR, -EINVAL for anything else that is not a regular file, or the negative errno of the failed call. */
int file_read (int dirfd, const char *path, size_t max, char **ret_text, size_t *ret_len, struct error *err);

/* The same for a path from / or from the working directory. *RET_TRUSTED is true if only root and our
 * effective user could have decided what was read: the file, every directory and every symbolic link on
 * the path from / belongs to one of the two, and neither the file nor a directory is writable by group or
 * others. A sticky directory (/tmp) may be, as long as the next component in it has no second hard link.
 * Files in the directory HOSTILE (NULL for none), or reached by a link in it, are not trusted; the
 * location is taken from the opened descriptor, not from the name. An untrusted file is no error. In a
 * user's own namespace the host's root is unmapped, and an unmapped owner counts as root. The locations of
 * the file and of these links are added to *RET_PLACES (may be NULL), for a HOSTILE that is known only
 * later (file_place_is_within). */
int file_read_trusted (const char *path, const char *hostile, size_t max, char **ret_text, size_t *ret_len,
                       bool *ret_trusted, struct strlist *ret_places, struct error *err);

/* Whether PLACE, an entry of *RET_PLACES, lies in DIRECTORY. True also if the location is unknown. */
bool file_place_is_within (const char *place, const char *directory);

/* Writes LEN bytes to PATH, relative to DIRFD (or AT_FDCWD), with exactly MODE whatever the umask.
 * Readers, also after a crash of the host, see either the whole old file or the whole new one. A link at
 * PATH is replaced, not followed. */
int file_write_atomic (int dirfd, const char *path, const char *text, size_t len, mode_t mode,
                       struct error *err);

/* The same without fsync, for data that is worthless after the host restarts. */
int file_write_passing (int dirfd, const char *path, const char *text, size_t len, mode_t mode,
                        struct error *err);

/* Opens the directory NAME in AT for listing: not through a link, and not if something is mounted on it
 * (-EXDEV). Every recursive removal must open directories with this, or it would empty a leftover mount.
 * Returns a descriptor or a negative errno. */
int file_open_unmounted (int at, const char *name);
