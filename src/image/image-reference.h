/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of an image on disk: "oci:DIR[:TAG]".
 *
 * DIR is a directory in the OCI image layout, TAG one of the tags in its index. Both may contain colons. DIR
 * is the longest part of the text that is a directory on this host: "oci:a:b:c" means the tag "b:c" only if
 * there is no directory "a:b".
 *
 * Text goes in, two strings come out. Only checks whether directories exist; must never open anything in
 * them.
 */
#pragma once

#include <stdbool.h>

#include "base-cleanup.h"
#include "base-error.h"

struct image_reference {
  char *directory;
  char *tag; /* NULL when none was given */
};

/* Whether TEXT begins with "oci:". */
bool image_reference_is (const char *text);

/* Errors: -EINVAL if TEXT has another form, -ENOENT if no part of it is a directory. */
int image_reference_parse (const char *text, struct image_reference *ret_reference, struct error *err);

void image_reference_clear (struct image_reference *reference);
#define cleanup_image_reference cleanup (image_reference_clear)
