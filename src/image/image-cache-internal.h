/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the cache share: the lock of a tree, the mark that it is complete, and its removal. */
#pragma once

#include "image-cache.h"

#define IMAGE_TREE_NAME 128 /* room for "sha256-HEX.setid" with a prefix and a suffix */
#define IMAGE_COMPLETE  "complete"
#define IMAGE_TEMPORARY ".tmp-"
#define IMAGE_LOCK      ".lock"

/* Takes the lock of the tree NAME: OPERATION is LOCK_SH or LOCK_EX; with LOCK_NB, -EWOULDBLOCK if it is
 * taken. If gc unlinks the lock file meanwhile, the lock is taken on the new one. */
int image_cache_lock (struct image_cache *cache, const char *name, int operation, int *ret_lock);

/* Writes the file IMAGE_COMPLETE for a tree made from the manifest HEX. */
int image_complete_write (int directory, const char *hex, const struct image_report *report,
                          struct error *err);

/* 1 if DIRECTORY has a mark, and it is for HEX (NULL: any); 0 if not; a negative errno if it could not be
 * read. */
int image_complete_read (int directory, const char *hex, struct image_report *ret_report, struct error *err);

/* Removes temporary trees of NAME, whose lock is held, and adds their number to *COUNT. */
int image_cache_sweep (struct image_cache *cache, const char *name, size_t *count, struct error *err);

/* Removes the tree NAME, whose lock is held. It is renamed to a temporary tree first, which is what a crash
 * leaves. */
int image_cache_remove (struct image_cache *cache, const char *name, struct error *err);

/* Gives an unused name for a temporary tree of NAME. */
int image_cache_temporary (const char *name, char temporary[IMAGE_TREE_NAME], struct error *err);
