/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be a standard stream of the low-level runtime's, which becomes the container's.
 *
 * crun 1.8.1 makes the container's user the owner of whatever it finds as its own standard streams, when it
 * creates a container (also one with a terminal) and when a process joins one; runc does so with all but the
 * null device. So no file and no device of the host's may be among them. Pipes and sockets are handed over as
 * they are: nothing but that pipe or socket changes its owner. The host's null device, which engines give
 * where there is no input, is replaced by one that belongs to this call alone. Everything else is refused.
 */
#pragma once

#include "base-error.h"

enum stdio_kind {
  STDIO_PASSES, /* a pipe without a name, or a socket */
  STDIO_NULL,   /* the null device */
  STDIO_OTHER,  /* a file, a named pipe, a terminal or another device */
};

enum stdio_kind stdio_kind_of (int fd);

/* Whether descriptors 0 to 2 can be handed over. */
int stdio_check (struct error *err);

/* In the process that becomes the low-level runtime, after stdio_check. */
int stdio_replace_null (struct error *err);
