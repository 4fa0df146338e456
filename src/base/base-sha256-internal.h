/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of SHA-256 that there is more than one way to do: taking in whole blocks.
 *
 * Only for the files base/sha256*.c and their test, which holds the ways against each other.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BLOCK 64

/* 6.2.2 of FIPS 180-4 for COUNT blocks, one after the other. */
typedef void sha256_compress (uint32_t state[8], const uint8_t *blocks, size_t count);

/* By C alone. */
sha256_compress sha256_compress_portable;

/* By instructions that this processor has for it; NULL where it has none, or we know of none. */
sha256_compress *sha256_compress_native (void);

/* 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
extern const uint32_t sha256_constants[64];
