/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An image in an OCI image layout on disk, read down to the list of its layers.
 *
 * A reference goes in; the manifest's digest, the layers and the configuration come out. Index, nested
 * indexes, manifest and configuration are read once, each within its limit and checked against its digest,
 * and only from regular files beneath the layout's directory. image-unpack.h reads the layers.
 *
 * Must never: follow a link inside the layout, accept another digest algorithm than sha256, or accept an
 * image for another machine.
 */
#pragma once

#include "base-cleanup.h"
#include "base-error.h"
#include "image-document.h"
#include "image-reference.h"

struct image {
  int layout;           /* the layout's directory */
  char *name;           /* "oci:DIR[:TAG]", for messages */
  char hex[SHA256_HEX]; /* the manifest's digest, which identifies the image */
  struct image_manifest manifest;
  struct image_config config; /* has as many diffs as the manifest has layers */
};

/* MACHINE is the kernel's name of the machine (uname). */
int image_open (const struct image_reference *reference, const char *machine, struct image **ret_image,
                struct error *err);

void image_close (struct image *image);
DEFINE_CLEANUP (struct image, image_close)
#define cleanup_image cleanup (image_close_p)
