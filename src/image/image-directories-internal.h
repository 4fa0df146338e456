/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes and times of directories, applied after the last layer.
 *
 * While layers are unpacked every directory is ours and writable, and each file put into one changes its
 * time. So the modes and times in the archives go into a log, together with each removal, and are applied at
 * the end: for each directory that still exists, the last entry since it was made. A removal covers
 * everything below, so that a directory made again does not inherit the mode of one that a whiteout removed.
 *
 * The log grows with the entries, which are limited. Applying it sorts once; there is no search for each
 * entry.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "base-cleanup.h"
#include "base-error.h"

struct image_directory;

struct image_directories {
  struct image_directory *log;
  size_t count, capacity;
};

/* Called for each directory, children before parents. */
typedef int image_directory_setter (void *data, const char *path, mode_t mode, struct timespec time,
                                    struct error *err);

/* PATH is normal, "" for the root. */
int image_directories_made (struct image_directories *directories, const char *path, mode_t mode,
                            struct timespec time);
/* A directory without an entry of its own: mode 0755, and a fixed time, so that unpacking is reproducible. */
int image_directories_implied (struct image_directories *directories, const char *path);
int image_directories_removed (struct image_directories *directories, const char *path);

/* Calls SET for each remaining directory and stops at its first error. The log is empty afterwards. */
int image_directories_settle (struct image_directories *directories, image_directory_setter *set, void *data,
                              struct error *err);

void image_directories_clear (struct image_directories *directories);
#define cleanup_image_directories cleanup (image_directories_clear)
