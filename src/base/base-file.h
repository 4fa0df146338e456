/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door to files: whole, bounded reads of small documents, and writes that are seen whole or
 * not at all.
 *
 * Only regular files are read. A size beyond the caller's bound is refused before a byte is read, a
 * FIFO or a device is refused without waiting for it, and a file that says nothing of its size (as in
 * /proc) is read until it ends or the bound is passed. What is judged is always the opened descriptor,
 * and that descriptor is what is read, so a path that changes meanwhile gains nothing.
 *
 * Must never: block on what is not a regular file, hand out part of a file as if it were the whole,
 * or return with a temporary file left behind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base-error.h"
#include "base-str.h"

/* Reads the whole of PATH, relative to DIRFD (or AT_FDCWD), links followed. The text has a NUL behind it
 * that *ret_len does not count; there may be others inside. RET_LEN may be NULL. Errors: -EFBIG past MAX,
 * -EISDIR, -EINVAL for anything else that is not a regular file, or what the system says. */
int file_read (int dirfd, const char *path, size_t max, char **ret_text, size_t *ret_len, struct error *err);

/* The same for a path from / or from the working directory, and says whether nobody but root and our
 * effective user can have decided what was read. For that the file, every directory and every symbolic link
 * on the way from / belongs to one of the two, and neither the file nor a directory is writable by group or
 * others; a directory that is sticky may be (/tmp), as long as the next step in it is not a second name of a
 * file. Nor is anything trusted that lies in the directory HOSTILE, or is reached by a link that does; the
 * opened descriptor is asked where it is, not the name. NULL: there is no such directory. That the file is
 * not trusted is no error. In a user's own namespace the host's root has no number: there, who has none
 * counts as root. Where the file and these links lie is added to *RET_PLACES, for a HOSTILE that is known
 * later (file_place_is_within); it may be NULL.
 */
int file_read_trusted (const char *path, const char *hostile, size_t max, char **ret_text, size_t *ret_len,
                       bool *ret_trusted, struct strlist *ret_places, struct error *err);

/* Whether PLACE, as it was added, lies in DIRECTORY, or is not known. */
bool file_place_is_within (const char *place, const char *directory);

/* Puts LEN bytes under PATH, relative to DIRFD (or AT_FDCWD), with exactly MODE whatever the umask. A reader,
 * and a host that went down, find the old file or the new one, whole. A link at PATH is replaced, not
 * followed. */
int file_write_atomic (int dirfd, const char *path, const char *text, size_t len, mode_t mode,
                       struct error *err);

/* The same for what means nothing once the host has gone down: a reader finds it whole, and no disk is
 * waited for. */
int file_write_passing (int dirfd, const char *path, const char *text, size_t len, mode_t mode,
                        struct error *err);

/* Opens the directory NAME in AT for listing: no link, and not where something else is mounted on it
 * (-EXDEV). Whoever removes what is below a directory opens by this, or a mount that was left there would be
 * emptied with it. A descriptor or a negative errno. */
int file_open_unmounted (int at, const char *name);
