/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two files of unpacking share: unpack.c walks layers and entries, entry.c makes one entry. */
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

/* Makes ENTRY, which is not a whiteout, at PATH (normal, "" for the root). Replaces what is there; a
 * directory over a directory keeps the contents. */
int image_entry_put (struct image_unpacker *unpacker, const struct image_entry *entry, const char *path,
                     struct error *err);

/* Sets the error that PATH could not be reached or changed; R is a negative errno. Returns R. */
int image_entry_fail (const char *path, int r, struct error *err);
