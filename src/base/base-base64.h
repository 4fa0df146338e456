/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base64 as in RFC 4648, both alphabets, with or without padding.
 *
 * Decoding skips nothing: a blank, a newline or a stray bit is an error. Encoding uses the
 * standard alphabet with padding.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

/* The bytes are followed by a NUL that *RET_LEN does not count. */
int base64_parse (const char *text, char **ret_bytes, size_t *ret_len, struct error *err);

/* NULL: out of memory. */
char *base64_encode (const void *bytes, size_t len);
