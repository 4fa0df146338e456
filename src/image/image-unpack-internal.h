/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two halves of unpacking share: unpack.c walks layers and entries, entry.c makes one of them. */
#pragma once

#include "image-archive-internal.h"
#include "image-name-internal.h"
#include "image-tree-internal.h"
#include "image-unpack.h"

struct image_unpacker {
  struct image_unpack_options options; /* with the limits filled in */
  struct image_tree tree;
  struct image_archive *archive; /* of the current layer */
  struct image_report report;
};

/* Makes ENTRY, which is no whiteout, at PATH (normal, "" for the root); what is there is replaced, but for
 * the contents of a directory by a directory. */
int image_entry_put (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                     struct error *err);

/* Says that PATH could not be reached or changed, and why; R is a negative errno. Returns R. */
int image_entry_fail (const char *path, int r, struct error *err);
