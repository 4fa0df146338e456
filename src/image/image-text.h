/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names from an image, escaped for messages.
 *
 * Tags, media types and names in an archive come from the image. Printed as they are, they could add lines to
 * a message or send control sequences to the reader's terminal. Every byte that is not plain ASCII, and the
 * backslash, becomes \xNN; a long name is cut, and the cut is marked.
 */
#pragma once

#include <stddef.h>

#define IMAGE_SHOWN 256

/* Writes TEXT (NULL gives "") into SHOWN and returns SHOWN. */
const char *image_show (const char *text, char shown[IMAGE_SHOWN]);
