/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <config.h>

#include "base-sha256.h"

#include "base-sha256-internal.h"

/* FIPS 180-4, 5.3.3: the fractional parts of the square roots of the first eight primes. */
static const uint32_t initial_state[8] = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static void store_be32 (uint8_t *p, uint32_t x)
{
  p[0] = (uint8_t) (x >> 24);
  p[1] = (uint8_t) (x >> 16);
  p[2] = (uint8_t) (x >> 8);
  p[3] = (uint8_t) x;
}

static void compress (uint32_t state[8], const uint8_t *blocks, size_t count)
{
  sha256_compress *native = sha256_compress_native ();

  if (native != NULL)
    native (state, blocks, count);
  else
    sha256_compress_portable (state, blocks, count);
}

void sha256_init (struct sha256 *hash)
{
  memcpy (hash->state, initial_state, sizeof (hash->state));
  hash->length = 0;
}

void sha256_update_blocks (struct sha256 *hash, const void *bytes, size_t len)
{
  const uint8_t *p = bytes;
  size_t filled = (size_t) (hash->length % sizeof (hash->block));

  hash->length += len;
  if (filled > 0) {
    size_t room = sizeof (hash->block) - filled;

    memcpy (hash->block + filled, p, room);
    p += room;
    len -= room;
    compress (hash->state, hash->block, 1);
  }
  compress (hash->state, p, len / sizeof (hash->block));
  filled = len % sizeof (hash->block);
  memcpy (hash->block, p + len - filled, filled);
}

/* 5.1.1: a one bit, zeros, and the length in bits fill the last block. */
void sha256_final (struct sha256 *hash, uint8_t digest[SHA256_BYTES])
{
  uint64_t bits = hash->length * 8;
  size_t filled = (size_t) (hash->length % sizeof (hash->block));

  hash->block[filled++] = 0x80;
  if (filled > sizeof (hash->block) - 8) {
    memset (hash->block + filled, 0, sizeof (hash->block) - filled);
    compress (hash->state, hash->block, 1);
    filled = 0;
  }
  memset (hash->block + filled, 0, sizeof (hash->block) - 8 - filled);
  store_be32 (hash->block + 56, (uint32_t) (bits >> 32));
  store_be32 (hash->block + 60, (uint32_t) bits);
  compress (hash->state, hash->block, 1);
  for (unsigned i = 0; i < 8; i++)
    store_be32 (digest + 4 * i, hash->state[i]);
}

void sha256_final_hex (struct sha256 *hash, char hex[SHA256_HEX])
{
  static const char digits[] = "0123456789abcdef";
  uint8_t digest[SHA256_BYTES];

  sha256_final (hash, digest);
  for (unsigned i = 0; i < SHA256_BYTES; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[2 * SHA256_BYTES] = '\0';
}

void sha256_hex (const void *bytes, size_t len, char hex[SHA256_HEX])
{
  struct sha256 hash;

  sha256_init (&hash);
  sha256_update (&hash, bytes, len);
  sha256_final_hex (&hash, hex);
}
