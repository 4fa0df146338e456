/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories whose mode and time have to wait.
 *
 * While layers are unpacked every directory is ours and writable, and each file put into one changes its
 * time. So what the archives say of directories is kept in a log, as well as each removal, and set when all
 * is in place: for each directory that is left, the last that was said of it since it was made. Removals
 * count for all below, so that a directory made anew does not inherit from one that a whiteout took.
 *
 * The log grows with the entries, which are bounded. Settling it sorts once; nothing is searched per entry.
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

/* Called with each directory, those inside before those around them. */
typedef int image_directory_setter (void *data, const char *path, mode_t mode, struct timespec time,
                                    struct error *err);

/* PATH is normal, "" for the root. */
int image_directories_made (struct image_directories *directories, const char *path, mode_t mode,
                            struct timespec time);
/* A directory that no entry speaks of: mode 0755, and a time that is the same whenever the image is unpacked.
 */
int image_directories_implied (struct image_directories *directories, const char *path);
int image_directories_removed (struct image_directories *directories, const char *path);

/* Gives what is left to SET and stops at its first error. The log is empty afterwards. */
int image_directories_settle (struct image_directories *directories, image_directory_setter *set, void *data,
                              struct error *err);

void image_directories_clear (struct image_directories *directories);
#define cleanup_image_directories cleanup (image_directories_clear)
