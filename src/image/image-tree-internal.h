/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree that layers are unpacked into: directories made and opened, names removed, always beneath its
 * root.
 *
 * Every path is normal and relative. None of these follows a link: where one stands on the way they fail with
 * -ELOOP or -ENOTDIR, and what is removed is the link. The tree is private: its root lies in a directory that
 * only we can enter, so nothing changes between two calls but by us.
 *
 * Functions return 0 or a negative errno; the caller knows the entry and says what it was about.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "image-directories-internal.h"

struct image_tree {
  int root;
  bool walk; /* do without openat2 */
  struct image_directories directories;
};

/* Opens the directory that PATH is in, with O_PATH, and gives PATH's last name. What is missing on the way is
 * made with MAKE, else it is -ENOENT. */
int image_tree_parent (struct image_tree *tree, const char *path, bool make, int *ret_directory,
                       const char **ret_name);

/* Removes PATH and all below it; NAME is its last name, in the directory DIRECTORY. That nothing is there is
 * no error. */
int image_tree_remove (struct image_tree *tree, int directory, const char *name, const char *path);

/* Removes NAME and all below it from DIRECTORY. */
int image_remove_all (int directory, const char *name);

/* Removes all below the directory PATH for which KEEP says no; KEEP is asked for each name before those below
 * it, and those below a kept directory are asked for in turn. No such directory is no error. */
typedef bool image_tree_keep (void *data, const char *path);
int image_tree_prune (struct image_tree *tree, const char *path, image_tree_keep *keep, void *data);
