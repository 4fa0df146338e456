/* Folders whose mode and time have to wait.
 *
 * While layers are unpacked every folder is ours and writable, and each file put into one changes its time.
 * So what the archives say of folders is kept in a log, as well as each removal, and set when all is in
 * place: for each folder that is left, the last that was said of it since it was made. Removals count for all
 * below, so that a folder made anew does not inherit from one that a whiteout took.
 *
 * The log grows with the entries, which are bounded. Settling it sorts once; nothing is searched per entry.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "base-cleanup.h"
#include "base-error.h"

struct image_folder;

struct image_folders {
  struct image_folder *log;
  size_t count, capacity;
};

/* Called with each folder, those inside before those around them. */
typedef int image_folder_setter (void *data, const char *path, mode_t mode, struct timespec time,
                                 struct error *err);

/* PATH is normal, "" for the root. */
int image_folders_made (struct image_folders *folders, const char *path, mode_t mode, struct timespec time);
/* A folder that no entry speaks of: mode 0755, and a time that is the same whenever the image is unpacked. */
int image_folders_implied (struct image_folders *folders, const char *path);
int image_folders_removed (struct image_folders *folders, const char *path);

/* Gives what is left to SET and stops at its first error. The log is empty afterwards. */
int image_folders_settle (struct image_folders *folders, image_folder_setter *set, void *data,
                          struct error *err);

void image_folders_clear (struct image_folders *folders);
#define cleanup_image_folders cleanup (image_folders_clear)
