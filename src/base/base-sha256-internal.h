/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The compression function of SHA-256, which has several implementations.
 *
 * Only for base/sha256*.c and their test, which compares the implementations.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_BLOCK 64

/* 6.2.2 of FIPS 180-4 for COUNT consecutive blocks. */
typedef void sha256_compress (uint32_t state[8], const uint8_t *blocks, size_t count);

/* In portable C. */
sha256_compress sha256_compress_portable;

/* By instructions that this processor has for it; NULL where it has none, or we know of none. Measured:
 * without them a cold launch takes 6 % longer, one in a prewarmed sandbox 10 % (docs/benchmarks.md). */
sha256_compress *sha256_compress_native (void);

/* 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
extern const uint32_t sha256_constants[64];
