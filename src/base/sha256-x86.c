/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SHA-256 with the SHA instructions of x86 processors (since about 2017): some 200 instructions for a
 * block, where C needs 3000.
 *
 * The C library knows from program start whether they exist. Executing CPUID here would trap in a virtual
 * machine, which costs as much as the digest of a page. */
#include <config.h>

#include "base-sha256-internal.h"

#include <stdbool.h>

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#define HAVE_X86_FEATURES 1
#endif
#endif

#ifdef HAVE_X86_FEATURES

#include <immintrin.h>
#include <sys/platform/x86.h>

#define WITH_SHA __attribute__ ((target ("sha,ssse3,sse4.1")))
#define INLINE   inline __attribute__ ((always_inline))

/* Loads four big-endian words of the message. */
WITH_SHA static __m128i load_words (const uint8_t *p)
{
  const __m128i order = _mm_set_epi64x (0x0c0d0e0f08090a0b, 0x0405060700010203);

  return _mm_shuffle_epi8 (_mm_loadu_si128 ((const void *) p), order);
}

/* The next four words after sixteen: step 1 of the standard for four at once. */
WITH_SHA static __m128i next_words (__m128i w0, __m128i w4, __m128i w8, __m128i w12)
{
  __m128i sum = _mm_add_epi32 (_mm_sha256msg1_epu32 (w0, w4), _mm_alignr_epi8 (w12, w8, 4));

  return _mm_sha256msg2_epu32 (sum, w12);
}

/* Four of the 64 steps; then W0, which has been used, becomes the words that follow sixteen later. The
 * last steps compute words that are not used; leaving them out would take more code and be no faster. */
WITH_SHA static INLINE void four_steps (__m128i *abef, __m128i *cdgh, const uint32_t *constants, __m128i *w0,
                                        __m128i w4, __m128i w8, __m128i w12)
{
  __m128i sum = _mm_add_epi32 (*w0, _mm_loadu_si128 ((const void *) constants));

  *cdgh = _mm_sha256rnds2_epu32 (*cdgh, *abef, sum);
  *abef = _mm_sha256rnds2_epu32 (*abef, *cdgh, _mm_shuffle_epi32 (sum, 0x0e));
  *w0 = next_words (*w0, w4, w8, w12);
}

/* The instructions expect a, b, e, f of the standard in one register and c, d, g, h in the other. */
WITH_SHA static void compress (uint32_t state[8], const uint8_t *blocks, size_t count)
{
  __m128i badc = _mm_shuffle_epi32 (_mm_loadu_si128 ((const void *) state), 0xb1);
  __m128i hgfe = _mm_shuffle_epi32 (_mm_loadu_si128 ((const void *) (state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8 (badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16 (hgfe, badc, 0xf0);
  __m128i feba, dchg;

  for (; count > 0; count--, blocks += SHA256_BLOCK) {
    __m128i w0 = load_words (blocks), w4 = load_words (blocks + 16);
    __m128i w8 = load_words (blocks + 32), w12 = load_words (blocks + 48);
    __m128i abef_before = abef, cdgh_before = cdgh;

    for (const uint32_t *k = sha256_constants; k < sha256_constants + 64; k += 16) {
      four_steps (&abef, &cdgh, k, &w0, w4, w8, w12);
      four_steps (&abef, &cdgh, k + 4, &w4, w8, w12, w0);
      four_steps (&abef, &cdgh, k + 8, &w8, w12, w0, w4);
      four_steps (&abef, &cdgh, k + 12, &w12, w0, w4, w8);
    }
    abef = _mm_add_epi32 (abef, abef_before);
    cdgh = _mm_add_epi32 (cdgh, cdgh_before);
  }
  feba = _mm_shuffle_epi32 (abef, 0x1b);
  dchg = _mm_shuffle_epi32 (cdgh, 0xb1);
  _mm_storeu_si128 ((void *) state, _mm_blend_epi16 (feba, dchg, 0xf0));
  _mm_storeu_si128 ((void *) (state + 4), _mm_alignr_epi8 (dchg, feba, 8));
}

sha256_compress *sha256_compress_native (void)
{
  bool there = CPU_FEATURE_ACTIVE (SHA) && CPU_FEATURE_ACTIVE (SSSE3) && CPU_FEATURE_ACTIVE (SSE4_1);

  return there ? compress : NULL;
}

#else

sha256_compress *sha256_compress_native (void)
{
  return NULL;
}

#endif
