#include <immintrin.h>
#include <string.h>
#include "base/hash.h"
#include "usage/sum.h"

#define K LG_GOLDEN
#define WIDE 256 /* bytes from which the wide instructions are faster */

static inline uint64_t step(uint64_t h, uint64_t word)
{
  h = (h ^ word) * K;
  return h << 31 | h >> 33;
}

static inline uint64_t word_at(const char *p)
{
  uint64_t w;
  memcpy(&w, p, sizeof w);
  return w;
}

/* sum_wide is the sum of n bytes, a multiple of 64: like XXH3, the product of the
 * halves of each word under a key that differs from place to place, and the word. */
static uint64_t __attribute__((target("avx2"))) sum_wide(uint64_t h, const char *p, size_t n)
{
  const __m256i more = _mm256_set1_epi64x((int64_t)K);
  __m256i key = _mm256_set_epi64x((int64_t)h, (int64_t)(h ^ K), (int64_t)(h + K), (int64_t)~h);
  __m256i a = key, b = more;
  for (const char *end = p + n; p < end; p += 64) {
    __m256i x = _mm256_loadu_si256((const void *)p), y = _mm256_loadu_si256((const void *)(p + 32));
    __m256i kx = _mm256_xor_si256(x, key), ky = _mm256_xor_si256(y, _mm256_add_epi64(key, more));
    a = _mm256_add_epi64(a, _mm256_add_epi64(_mm256_mul_epu32(kx, _mm256_srli_epi64(kx, 32)), _mm256_shuffle_epi32(x, 0x4e)));
    b = _mm256_add_epi64(b, _mm256_add_epi64(_mm256_mul_epu32(ky, _mm256_srli_epi64(ky, 32)), _mm256_shuffle_epi32(y, 0x4e)));
    key = _mm256_sub_epi64(key, more);
  }
  uint64_t v[8];
  _mm256_storeu_si256((void *)v, a);
  _mm256_storeu_si256((void *)(v + 4), b);
  for (int i = 0; i < 8; i++)
    h = step(h, v[i]);
  return h;
}

/* lg_sum goes through four words at a time, each with a sum of its own: the
 * multiplications overlap. */
uint64_t lg_sum(uint64_t h, const char *p, size_t n)
{
  if (n >= WIDE && __builtin_cpu_supports("avx2")) {
    size_t wide = n & ~(size_t)63;
    h = sum_wide(h, p, wide);
    p += wide;
    n -= wide;
  }
  if (n >= 64) {
    uint64_t a = h, b = h ^ K, c = h + K, d = ~h;
    for (; n >= 32; n -= 32, p += 32) {
      a = step(a, word_at(p));
      b = step(b, word_at(p + 8));
      c = step(c, word_at(p + 16));
      d = step(d, word_at(p + 24));
    }
    h = step(step(step(a, b), c), d);
  }
  for (; n >= 8; n -= 8, p += 8)
    h = step(h, word_at(p));
  uint64_t rest = n;
  for (; n; n--, p++)
    rest = rest << 8 | (unsigned char)*p;
  return step(h, rest);
}
