/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of an image on disk: "oci:DIR[:TAG]".
 *
 * DIR is a directory in the OCI image layout, TAG one of the names that its index gives to images. Both may
 * have colons in them. The text is split so that DIR is the longest part that is a directory on this host: a
 * directory "a:b" is found as such, and "oci:a:b:c" means the tag "b:c" only where no directory "a:b" is.
 *
 * Text goes in, two strings come out. Looks at whether directories exist; must never open anything in them.
 */
#pragma once

#include <stdbool.h>

#include "base-cleanup.h"
#include "base-error.h"

struct image_reference {
  char *directory;
  char *tag; /* NULL when none was given */
};

/* Begins with "oci:". */
bool image_reference_is (const char *text);

/* Errors: -EINVAL for what is no such name, -ENOENT where no part of it is a directory. */
int image_reference_parse (const char *text, struct image_reference *ret_reference, struct error *err);

void image_reference_clear (struct image_reference *reference);
#define cleanup_image_reference cleanup (image_reference_clear)
