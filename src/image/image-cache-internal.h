/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cache's parts share: the lock of a tree, the mark that it is complete, and its removal. */
#pragma once

#include "image-cache.h"

#define IMAGE_TREE_NAME 128 /* room for "sha256-HEX.setid" and what is added to it */
#define IMAGE_COMPLETE  "complete"
#define IMAGE_TEMPORARY ".tmp-"
#define IMAGE_LOCK      ".lock"

/* Takes the lock of the tree NAME: OPERATION is LOCK_SH or LOCK_EX, with LOCK_NB to give up with
 * -EWOULDBLOCK. The lock is on the file that has the name at that moment, also when gc removed an older one.
 */
int image_cache_lock (struct image_cache *cache, const char *name, int operation, int *ret_lock);

/* The document IMAGE_COMPLETE for a tree made from the manifest HEX. */
int image_complete_write (int directory, const char *hex, const struct image_report *report,
                          struct error *err);

/* 1 when DIRECTORY has a mark, and it is for HEX (any where that is NULL); 0 when not; or an error that
 * leaves it open. */
int image_complete_read (int directory, const char *hex, struct image_report *ret_report, struct error *err);

/* Removes temporary trees of NAME, whose lock is held. Adds to *COUNT. */
int image_cache_sweep (struct image_cache *cache, const char *name, size_t *count, struct error *err);

/* Removes the tree NAME, whose lock is held; it goes in one step, and a crash in the middle leaves a
 * temporary one. */
int image_cache_remove (struct image_cache *cache, const char *name, struct error *err);

/* A name for a temporary tree of NAME that is not taken. */
int image_cache_temporary (const char *name, char temporary[IMAGE_TREE_NAME], struct error *err);
