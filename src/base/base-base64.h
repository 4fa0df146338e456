/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base64 as RFC 4648 has it, both alphabets, with or without padding.
 *
 * From text to bytes nothing is skipped: a blank, a newline or a stray bit is an error. From bytes to text it
 * is the first alphabet, with padding.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

/* The bytes have a NUL behind them that *RET_LEN does not count. */
int base64_parse (const char *text, char **ret_bytes, size_t *ret_len, struct error *err);

/* NULL: out of memory. */
char *base64_encode (const void *bytes, size_t len);
