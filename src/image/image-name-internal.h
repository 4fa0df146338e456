/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of an archive's entries, as text.
 *
 * A name is normalized: relative, without ".", empty components or a trailing slash. A leading slash or "./"
 * means the root of the image, as in every other reader of layers. ".." is never resolved but refused. Names
 * that begin with ".wh." are whiteouts; any other use of the prefix is refused, except for what AUFS, which
 * old layers were made with, kept at the root of a layer. Pure.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"
#include "base-limits.h"

#define IMAGE_NAME_SIZE (LIMIT_PATH_BYTES + 1)

/* Files with several names, which hard links of the same layer lead to; not part of the image. */
#define IMAGE_AUFS_LINKS ".wh..wh.plnk"

/* "" is the root itself. -EINVAL for "..", -ENAMETOOLONG past the limits on bytes and DEPTH_MAX components.
 */
int image_name_normal (const char *name, unsigned depth_max, char normal[IMAGE_NAME_SIZE], struct error *err);

enum image_mark {
  IMAGE_MARK_NONE,   /* an ordinary name */
  IMAGE_MARK_DELETE, /* "DIR/.wh.NAME": deletes DIR/NAME of the layers below */
  IMAGE_MARK_OPAQUE, /* "DIR/.wh..wh..opq": deletes all in DIR of the layers below */
  IMAGE_MARK_LINKED, /* IMAGE_AUFS_LINKS "/NAME": there while its layer is unpacked */
  IMAGE_MARK_AUFS,   /* ".wh..wh.aufs" and other names of AUFS at the root: left out */
};

/* NORMAL is a normal name; for a whiteout it becomes the name of what is deleted, or of the opaque directory.
 * -EINVAL for a whiteout that names nothing, or below a directory that is named like a whiteout. */
int image_name_mark (char normal[IMAGE_NAME_SIZE], enum image_mark *ret_mark, struct error *err);

/* Names from an image, escaped for messages.
 *
 * Tags, media types and names in an archive come from the image. Printed as they are, they could add lines to
 * a message or send control sequences to the reader's terminal. Every byte that is not plain ASCII, and the
 * backslash, becomes \xNN; a long name is cut, and the cut is marked.
 */

#define IMAGE_SHOWN 256

/* Writes TEXT (NULL gives "") into SHOWN and returns SHOWN. */
const char *image_show (const char *text, char shown[IMAGE_SHOWN]);
