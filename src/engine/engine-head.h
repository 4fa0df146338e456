/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head of an HTTP reply, for the one call whose connection becomes a raw stream afterwards.
 *
 * Bytes go in from the start of the reply; once the empty line is there, the status and the length of the
 * head come out. Interim heads (100 Continue) are skipped. Only the status line is parsed.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

struct reply_head {
  unsigned status; /* 0: the head is not complete yet */
  size_t bytes;    /* of all heads; the stream follows */
};

/* Errors: -EPROTO if this is not an HTTP reply, -EFBIG past LIMIT_ENGINE_HEAD_BYTES. */
int reply_head_read (const char *bytes, size_t len, struct reply_head *ret_head, struct error *err);
