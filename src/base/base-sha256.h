/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SHA-256 as in FIPS 180-4: digests of profiles, filters and journal lines.
 *
 * Avoids a cryptographic library. Not for secrets: nothing is wiped and nothing is keyed. Takes bytes in
 * pieces of any size; returns 32 bytes or 64 hexadecimal digits.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SHA256_BYTES 32
#define SHA256_HEX   (2 * SHA256_BYTES + 1) /* with its NUL */

struct sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes so far */
  uint8_t block[64];
};

void sha256_init (struct sha256 *hash);
/* sha256_update for input that fills a block. */
void sha256_update_blocks (struct sha256 *hash, const void *bytes, size_t len);

/* Inline because most input is a number or a name and only goes into the block. */
static inline void sha256_update (struct sha256 *hash, const void *bytes, size_t len)
{
  size_t filled = (size_t) (hash->length % sizeof (hash->block));

  if (len >= sizeof (hash->block) - filled)
    sha256_update_blocks (hash, bytes, len);
  else if (len > 0) {
    memcpy (hash->block + filled, bytes, len);
    hash->length += len;
  }
}

/* Returns the digest; HASH must be initialised before it is used again. */
void sha256_final (struct sha256 *hash, uint8_t digest[SHA256_BYTES]);

/* The digest of LEN bytes in lower-case hexadecimal. */
void sha256_hex (const void *bytes, size_t len, char hex[SHA256_HEX]);
/* As sha256_final, in hexadecimal. */
void sha256_final_hex (struct sha256 *hash, char hex[SHA256_HEX]);
