#include <config.h>

#include "base-sha256.h"

#include <string.h>

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* 5.3.3: the same of the square roots of the first eight. */
static const uint32_t initial_state[8] = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate_right (uint32_t x, unsigned n)
{
  return x >> n | x << (32 - n);
}

static uint32_t load_be32 (const uint8_t *p)
{
  return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | (uint32_t) p[3];
}

static void store_be32 (uint8_t *p, uint32_t x)
{
  p[0] = (uint8_t) (x >> 24);
  p[1] = (uint8_t) (x >> 16);
  p[2] = (uint8_t) (x >> 8);
  p[3] = (uint8_t) x;
}

/* 6.2.2, step 1. */
static void schedule (uint32_t w[64], const uint8_t *block)
{
  for (unsigned t = 0; t < 16; t++)
    w[t] = load_be32 (block + 4 * t);
  for (unsigned t = 16; t < 64; t++) {
    uint32_t s0 = rotate_right (w[t - 15], 7) ^ rotate_right (w[t - 15], 18) ^ w[t - 15] >> 3;
    uint32_t s1 = rotate_right (w[t - 2], 17) ^ rotate_right (w[t - 2], 19) ^ w[t - 2] >> 10;

    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
}

/* 6.2.2, steps 2 to 4; the variables have the standard's names. */
static void compress (uint32_t state[8], const uint8_t *block)
{
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  uint32_t w[64];

  schedule (w, block);
  for (unsigned t = 0; t < 64; t++) {
    uint32_t sum1 = rotate_right (e, 6) ^ rotate_right (e, 11) ^ rotate_right (e, 25);
    uint32_t sum0 = rotate_right (a, 2) ^ rotate_right (a, 13) ^ rotate_right (a, 22);
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t t1 = h + sum1 + choice + round_constants[t] + w[t];
    uint32_t t2 = sum0 + majority;

    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
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

void sha256_init (struct sha256 *hash)
{
  memcpy (hash->state, initial_state, sizeof (hash->state));
  hash->length = 0;
}

void sha256_update (struct sha256 *hash, const void *bytes, size_t len)
{
  const uint8_t *p = bytes;
  size_t held = (size_t) (hash->length % sizeof (hash->block));

  if (len == 0)
    return;
  hash->length += len;
  if (held > 0) {
    size_t room = sizeof (hash->block) - held;
    size_t part = len < room ? len : room;

    memcpy (hash->block + held, p, part);
    p += part;
    len -= part;
    if (part < room)
      return;
    compress (hash->state, hash->block);
  }
  for (; len >= sizeof (hash->block); p += sizeof (hash->block), len -= sizeof (hash->block))
    compress (hash->state, p);
  memcpy (hash->block, p, len);
}

/* 5.1.1: a one bit, zeros, and the length in bits fill the last block. */
void sha256_final (struct sha256 *hash, uint8_t digest[SHA256_BYTES])
{
  uint64_t bits = hash->length * 8;
  size_t held = (size_t) (hash->length % sizeof (hash->block));

  hash->block[held++] = 0x80;
  if (held > sizeof (hash->block) - 8) {
    memset (hash->block + held, 0, sizeof (hash->block) - held);
    compress (hash->state, hash->block);
    held = 0;
  }
  memset (hash->block + held, 0, sizeof (hash->block) - 8 - held);
  store_be32 (hash->block + 56, (uint32_t) (bits >> 32));
  store_be32 (hash->block + 60, (uint32_t) bits);
  compress (hash->state, hash->block);
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
