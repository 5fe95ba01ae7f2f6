#include <string.h>
#include "base/base.h"
#include "base/hash.h"
#include "machine/checksums.h"
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

/* sums gives eight sums of n bytes, a multiple of 64, of every eighth word each: like XXH3, the
 * product of the halves of the word under a key that differs from place to place, and its
 * neighbour. For processors that lack what checksums.h asks for. */
static void sums(uint64_t h, const char *p, size_t n, uint64_t *v)
{
  uint64_t key[8] = {~h, h + K, h ^ K, h, ~h + K, h + K + K, (h ^ K) + K, h + K};
  for (int i = 0; i < 8; i++)
    v[i] = i < 4 ? key[i] : K;
  for (const char *end = p + n; p < end; p += 64)
    for (int i = 0; i < 8; i++) {
      uint64_t k = word_at(p + 8 * i) ^ key[i];
      v[i] += (k & UINT32_MAX) * (k >> 32) + word_at(p + 8 * (i ^ 1));
      key[i] -= K;
    }
}

static uint64_t sum_wide(uint64_t h, const char *p, size_t n)
{
  uint64_t v[8];
  if (likely(lg_has_sums()))
    lg_sums_by_vectors(h, K, p, n, v);
  else
    sums(h, p, n, v);
  for (int i = 0; i < 8; i++)
    h = step(h, v[i]);
  return h;
}

/* lg_sum goes through four words at a time, each with a sum of its own: the
 * multiplications overlap. */
uint64_t lg_sum(uint64_t h, const char *p, size_t n)
{
  if (n >= WIDE) {
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
