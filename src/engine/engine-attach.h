/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A connection to an engine that becomes a container's standard streams.
 *
 * libcurl has no say in it: after the head of the reply the connection belongs to nobody's HTTP any more.
 * Both directions are raw; what comes is in frames (engine-frames.h) unless the container has a terminal.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

struct attached {
  int fd;
  char *early; /* bytes of the stream that came with the head; may be NULL */
  size_t early_len;
};

/* Calls POST PATH at SOCKET, and hands over the connection once the engine has agreed, all within TOTAL_MS. A
 * refusal is an error with the engine's status in it. */
int engine_attach (const char *socket, const char *path, unsigned total_ms, struct attached *ret_attached,
                   struct error *err);

void attached_clear (struct attached *attached);
#define cleanup_attached cleanup (attached_clear)
