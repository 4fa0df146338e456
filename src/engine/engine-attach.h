/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A connection to an engine that becomes a container's standard streams.
 *
 * It does not use libcurl: after the head of the reply the connection is no longer HTTP. Both directions are
 * raw; output comes in frames (engine-frames.h) unless the container has a terminal.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

struct attached {
  int fd;
  char *early; /* bytes of the stream that came with the head, or NULL */
  size_t early_len;
};

/* Sends POST PATH to SOCKET, and gives the connection once the engine has agreed, all within TOTAL_MS. A
 * refusal is an error with the engine's status. */
int engine_attach (const char *socket, const char *path, unsigned total_ms, struct attached *ret_attached,
                   struct error *err);

void attached_clear (struct attached *attached);
#define cleanup_attached cleanup (attached_clear)
