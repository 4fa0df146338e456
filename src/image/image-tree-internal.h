/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree that layers are unpacked into: makes and opens directories, removes names, always beneath its
 * root.
 *
 * Every path is normal and relative. No function follows a link: they fail with -ELOOP or -ENOTDIR where a
 * path goes through one, and removing a name removes the link itself. The tree is private: its root is in a
 * directory that only we can enter, so only we change it between two calls.
 *
 * Functions return 0 or a negative errno; the caller knows the entry and sets the message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "image-directories-internal.h"

struct image_tree {
  int root;
  bool walk; /* do not use openat2 */
  struct image_directories directories;
};

/* Opens the parent directory of PATH, with O_PATH, and gives PATH's last component. Missing directories are
 * made if MAKE; otherwise -ENOENT. */
int image_tree_parent (struct image_tree *tree, const char *path, bool make, int *ret_directory,
                       const char **ret_name);

/* Removes PATH and all below it; NAME is its last component, in the directory DIRECTORY. A missing PATH is no
 * error. */
int image_tree_remove (struct image_tree *tree, int directory, const char *name, const char *path);

/* Removes NAME and all below it from DIRECTORY. */
int image_remove_all (int directory, const char *name);

/* Removes everything below the directory PATH for which KEEP returns false. KEEP is called for a directory
 * before the names in it, and for those only if it is kept. A missing directory is no error. */
typedef bool image_tree_keep (void *data, const char *path);
int image_tree_prune (struct image_tree *tree, const char *path, image_tree_keep *keep, void *data);

/* Paths opened beneath a directory, without following a link of any kind.
 *
 * Uses openat2 where the kernel has it (5.6) and no seccomp filter refuses it; otherwise opens one component
 * at a time with O_NOFOLLOW, to the same effect. The caller can ask for the second way, so that both are
 * tested.
 */

/* PATH is relative and normal (path_is_beneath), or "" for the directory itself. Gives a descriptor, or a
 * negative errno: -ELOOP or -ENOTDIR where the path goes through a link. With O_PATH, FLAGS must include
 * O_DIRECTORY, as O_PATH alone opens a link. */
int image_beneath_open (int root, const char *path, int flags, bool walk);
