/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SHA-256 against the examples of FIPS 180-4 and values that sha256sum gave. */
#include <config.h>

#include "base-sha256.h"

#include "base-cleanup.h"
#include "base-sha256-internal.h"
#include "unit.h"

static const struct {
  const char *text;
  const char *hex;
} vectors[] = {
  { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
  { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
  { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrs"
    "tnopqrstu",
    "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
  { "The quick brown fox jumps over the lazy dog",
    "d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592" },
  { "tyrum-oci\n", "f9808857c9452621028d713ee4141976cc4c83d6bc9d8340581d77573b376c29" },
};

/* Lengths around the places where the padding needs a block of its own: LEN times 'x'. */
static const struct {
  size_t len;
  const char *hex;
} edges[] = {
  { 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072" },
  { 56, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e" },
  { 57, "ae14a2563ccf969d99aca69ce6bb74981f734bbf9f655f73b8f06db68cab5217" },
  { 63, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2" },
  { 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c" },
  { 65, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9" },
  { 119, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c" },
  { 120, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98" },
  { 128, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464" },
};

static void test_vectors (void **state)
{
  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (vectors); i++) {
    char hex[SHA256_HEX];

    sha256_hex (vectors[i].text, strlen (vectors[i].text), hex);
    assert_string_equal (hex, vectors[i].hex);
  }
}

static void test_padding_edges (void **state)
{
  char text[128];

  (void) state;
  memset (text, 'x', sizeof (text));
  for (size_t i = 0; i < ARRAY_LEN (edges); i++) {
    char hex[SHA256_HEX];

    sha256_hex (text, edges[i].len, hex);
    assert_string_equal (hex, edges[i].hex);
  }
}

/* The standard's long example: a million times 'a', in pieces that never fit a block. */
static void test_million (void **state)
{
  struct sha256 hash;
  char piece[997];
  char hex[SHA256_HEX];
  size_t left = 1000000;

  (void) state;
  memset (piece, 'a', sizeof (piece));
  sha256_init (&hash);
  while (left > 0) {
    size_t part = left < sizeof (piece) ? left : sizeof (piece);

    sha256_update (&hash, piece, part);
    left -= part;
  }
  sha256_final_hex (&hash, hex);
  assert_string_equal (hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* However the bytes are cut, the digest is the same. */
static void test_any_cut (void **state)
{
  static const char expected[] = "89f4ff56a25dd1db06a4ce6033603775d705fb96f30f8693733fef602a1ca532";
  uint8_t bytes[1000];

  (void) state;
  for (size_t i = 0; i < sizeof (bytes); i++)
    bytes[i] = (uint8_t) (i * 7);
  for (size_t cut = 0; cut <= sizeof (bytes); cut++) {
    struct sha256 hash;
    char hex[SHA256_HEX];

    sha256_init (&hash);
    sha256_update (&hash, bytes, cut);
    sha256_update (&hash, NULL, 0);
    sha256_update (&hash, bytes + cut, sizeof (bytes) - cut);
    sha256_final_hex (&hash, hex);
    assert_string_equal (hex, expected);
  }
}

static void test_one_bit_changes_it (void **state)
{
  uint8_t bytes[200] = { 0 };
  char first[SHA256_HEX], other[SHA256_HEX], again[SHA256_HEX];

  (void) state;
  sha256_hex (bytes, sizeof (bytes), first);
  bytes[150] ^= 1;
  sha256_hex (bytes, sizeof (bytes), other);
  bytes[150] ^= 1;
  sha256_hex (bytes, sizeof (bytes), again);
  assert_string_not_equal (first, other);
  assert_string_equal (first, again);
}

/* The raw digest and its text say the same. */
static void test_raw_digest (void **state)
{
  static const uint8_t start[] = { 0xba, 0x78, 0x16, 0xbf };
  uint8_t digest[SHA256_BYTES];
  struct sha256 hash;

  (void) state;
  sha256_init (&hash);
  sha256_update (&hash, "abc", 3);
  sha256_final (&hash, digest);
  assert_memory_equal (digest, start, sizeof (start));
  assert_int_equal (digest[31], 0xad);
}

/* The digest of the digests of all lengths from 0 to 300, as Python's hashlib has it. */
static void test_all_lengths (void **state)
{
  uint8_t bytes[300], digest[SHA256_BYTES];
  struct sha256 all;
  char hex[SHA256_HEX];

  (void) state;
  for (size_t i = 0; i < sizeof (bytes); i++)
    bytes[i] = (uint8_t) (i * 31 + 7);
  sha256_init (&all);
  for (size_t len = 0; len <= sizeof (bytes); len++) {
    struct sha256 one;

    sha256_init (&one);
    sha256_update (&one, bytes, len);
    sha256_final (&one, digest);
    sha256_update (&all, digest, sizeof (digest));
  }
  sha256_final_hex (&all, hex);
  assert_string_equal (hex, "78f25692e2f4dd74482ac3dcf4f505a7c278fa279588b764b99a497144bcd49c");
}

/* "abc", padded by hand: neither way may be right only because the other one was used. */
static void test_each_way_alone (void **state)
{
  static const uint8_t block[SHA256_BLOCK] = { 'a', 'b', 'c', 0x80, [SHA256_BLOCK - 1] = 24 };
  static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  static const uint32_t last[8] = { 0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                    0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad };
  sha256_compress *const ways[] = { sha256_compress_portable, sha256_compress_native () };

  (void) state;
  for (size_t i = 0; i < ARRAY_LEN (ways); i++) {
    uint32_t words[8];

    if (ways[i] == NULL)
      continue; /* a processor without */
    memcpy (words, first, sizeof (words));
    ways[i](words, block, 1);
    assert_memory_equal (words, last, sizeof (last));
  }
}

/* From any state, for any bytes at any address: both ways come to the same. */
static void test_ways_agree (void **state)
{
  sha256_compress *native = sha256_compress_native ();
  uint8_t bytes[9 * SHA256_BLOCK];
  uint32_t number = 1;

  (void) state;
  for (unsigned turn = 0; native != NULL && turn < 1000; turn++) {
    uint32_t one[8], other[8];

    for (size_t i = 0; i < sizeof (bytes); i++)
      bytes[i] = (uint8_t) ((number = number * 1664525 + 1013904223) >> 24);
    memcpy (one, bytes, sizeof (one));
    memcpy (other, bytes, sizeof (other));
    sha256_compress_portable (one, bytes + turn % SHA256_BLOCK, turn % 9);
    native (other, bytes + turn % SHA256_BLOCK, turn % 9);
    assert_memory_equal (one, other, sizeof (one));
  }
}

static const struct CMUnitTest cases[] = {
  cmocka_unit_test (test_vectors),     cmocka_unit_test (test_padding_edges),
  cmocka_unit_test (test_million),     cmocka_unit_test (test_any_cut),
  cmocka_unit_test (test_raw_digest),  cmocka_unit_test (test_one_bit_changes_it),
  cmocka_unit_test (test_all_lengths), cmocka_unit_test (test_each_way_alone),
  cmocka_unit_test (test_ways_agree),
};

UNIT_MAIN (cases)
