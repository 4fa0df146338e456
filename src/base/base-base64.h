/* Base64 as RFC 4648 has it, both alphabets, with or without padding.
 *
 * Text goes in, bytes come out. Nothing is skipped: a blank, a newline or a stray bit is an error.
 */
#pragma once

#include <stddef.h>

#include "base-error.h"

/* The bytes have a NUL behind them that *RET_LEN does not count. */
int base64_decode (const char *text, char **ret_bytes, size_t *ret_len, struct error *err);
