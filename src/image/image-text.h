/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names from an image, made fit for a message.
 *
 * Tags, media types and the names in an archive are whatever the maker of the image wrote. Shown as they are,
 * they could break a message's one line or speak to the reader's terminal. Here every byte that is not plain
 * ASCII, and the backslash, becomes \xNN, and what is too long for a message is cut and says so.
 */
#pragma once

#include <stddef.h>

#define IMAGE_SHOWN 256

/* Writes TEXT (NULL gives "") into SHOWN and returns SHOWN. */
const char *image_show (const char *text, char shown[IMAGE_SHOWN]);
