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

const uint32_t sha256_constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right (uint32_t x, unsigned n)
{
  return x >> n | x << (32 - n);
}

static uint32_t load_be32 (const uint8_t *p)
{
  return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | (uint32_t) p[3];
}

/* Step 1. The rotations of the standard are nested: where a rotation overwrites its operand, this needs no
 * copies. By 7 and 18, shifted by 3; by 17 and 19, shifted by 10. */
static void schedule (uint32_t w[64], const uint8_t *block)
{
  for (unsigned t = 0; t < 16; t++)
    w[t] = load_be32 (block + 4 * t);
  for (unsigned t = 16; t < 64; t++) {
    uint32_t x = w[t - 15], y = w[t - 2];
    uint32_t s0 = rotate_right (rotate_right (x, 11) ^ x, 7) ^ x >> 3;
    uint32_t s1 = rotate_right (rotate_right (y, 2) ^ y, 17) ^ y >> 10;

    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
}

/* Step 3, with the names of the standard. Only two variables get new values; the caller renames the
 * others, which costs nothing. By 6, 11 and 25; by 2, 13 and 22. */
static inline __attribute__ ((always_inline)) void step (uint32_t a, uint32_t b, uint32_t c, uint32_t *d,
                                                         uint32_t e, uint32_t f, uint32_t g, uint32_t *h,
                                                         uint32_t constant_and_word)
{
  uint32_t sum1 = rotate_right (rotate_right (rotate_right (e, 14) ^ e, 5) ^ e, 6);
  uint32_t sum0 = rotate_right (rotate_right (rotate_right (a, 9) ^ a, 11) ^ a, 2);
  uint32_t choice = ((f ^ g) & e) ^ g;
  uint32_t majority = ((a | c) & b) | (a & c);

  *h += sum1 + choice + constant_and_word;
  *d += *h;
  *h += sum0 + majority;
}

static void compress_block (uint32_t state[8], const uint8_t *block)
{
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  uint32_t w[64];

  schedule (w, block);
  for (unsigned t = 0; t < 64; t += 8) {
    const uint32_t *k = sha256_constants + t, *x = w + t;

    step (a, b, c, &d, e, f, g, &h, k[0] + x[0]);
    step (h, a, b, &c, d, e, f, &g, k[1] + x[1]);
    step (g, h, a, &b, c, d, e, &f, k[2] + x[2]);
    step (f, g, h, &a, b, c, d, &e, k[3] + x[3]);
    step (e, f, g, &h, a, b, c, &d, k[4] + x[4]);
    step (d, e, f, &g, h, a, b, &c, k[5] + x[5]);
    step (c, d, e, &f, g, h, a, &b, k[6] + x[6]);
    step (b, c, d, &e, f, g, h, &a, k[7] + x[7]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

void sha256_compress_portable (uint32_t state[8], const uint8_t *blocks, size_t count)
{
  for (; count > 0; count--, blocks += SHA256_BLOCK)
    compress_block (state, blocks);
}
