/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SHA-256 as FIPS 180-4 describes it: digests of profiles, filters and journal lines.
 *
 * Here so that a digest needs no cryptographic library. It is no use for secrets: nothing is wiped
 * and nothing is keyed. Bytes go in, in pieces of any size; 32 bytes or 64 hexadecimal digits come out.
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
/* The same as sha256_update, where a block is filled. */
void sha256_update_blocks (struct sha256 *hash, const void *bytes, size_t len);

/* What is hashed is often a number or a name: most of those only go into the block. */
static inline void sha256_update (struct sha256 *hash, const void *bytes, size_t len)
{
  size_t held = (size_t) (hash->length % sizeof (hash->block));

  if (len >= sizeof (hash->block) - held)
    sha256_update_blocks (hash, bytes, len);
  else if (len > 0) {
    memcpy (hash->block + held, bytes, len);
    hash->length += len;
  }
}

/* The digest; HASH must be initialised again before it is used again. */
void sha256_final (struct sha256 *hash, uint8_t digest[SHA256_BYTES]);

/* All in one: the digest of LEN bytes in lower-case hexadecimal. */
void sha256_hex (const void *bytes, size_t len, char hex[SHA256_HEX]);
/* The same for a hash that is under way, in place of sha256_final. */
void sha256_final_hex (struct sha256 *hash, char hex[SHA256_HEX]);
