/* x86-64: CRC-32C by SSE 4.2, the sums of buffers by AVX2. */
#pragma once

#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* lg_asked keeps an answer of the processor. CPUID traps to the hypervisor of a virtual machine, some 20 µs each:
 * __builtin_cpu_supports makes twenty in every process that it is linked into, one is enough. */
static inline bool lg_asked(int *kept, bool (*ask)(void))
{
  int answer = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (__builtin_expect(!answer, 0)) {
    answer = ask() ? 1 : -1;
    __atomic_store_n(kept, answer, __ATOMIC_RELAXED);
  }
  return answer > 0;
}

static inline bool lg_ask_crc(void)
{
  unsigned a, b, c, d;
  __cpuid(1, a, b, c, d); /* every x86-64 has this one */
  return c & bit_SSE4_2;
}

static inline bool lg_has_crc(void)
{
  static int kept;
  return lg_asked(&kept, lg_ask_crc);
}

/* lg_crc_by_instruction goes on with a CRC-32C whose bits are inverted. */
static inline uint32_t __attribute__((target("sse4.2"))) lg_crc_by_instruction(uint32_t crc, const unsigned char *b,
                                                                                 size_t n)
{
  uint64_t c = crc, word;
  for (; n >= 8; n -= 8, b += 8) {
    memcpy(&word, b, 8);
    c = _mm_crc32_u64(c, word);
  }
  while (n--)
    c = _mm_crc32_u8((uint32_t)c, *b++);
  return (uint32_t)c;
}

/* lg_ask_avx2: the system must keep the vectors of a thread, too, which XGETBV says where OSXSAVE is set. */
static inline bool lg_ask_avx2(void)
{
  const unsigned kept = 6; /* XMM and YMM */
  unsigned a, b, c, d;
  __cpuid(1, a, b, c, d);
  if (!(c & bit_OSXSAVE) || !(c & bit_AVX))
    return false;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kept) == kept && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2;
}

static inline bool lg_has_sums(void)
{
  static int kept;
  return lg_asked(&kept, lg_ask_avx2);
}

/* lg_sums_by_vectors is sums of usage/sum.c; k: its K. */
static inline void __attribute__((target("avx2"))) lg_sums_by_vectors(uint64_t h, uint64_t k, const char *p,
                                                                           size_t n, uint64_t *v)
{
  const __m256i more = _mm256_set1_epi64x((int64_t)k);
  __m256i key = _mm256_set_epi64x((int64_t)h, (int64_t)(h ^ k), (int64_t)(h + k), (int64_t)~h);
  __m256i a = key, b = more;
  for (const char *end = p + n; p < end; p += 64) {
    __m256i x = _mm256_loadu_si256((const void *)p), y = _mm256_loadu_si256((const void *)(p + 32));
    __m256i kx = _mm256_xor_si256(x, key), ky = _mm256_xor_si256(y, _mm256_add_epi64(key, more));
    __m256i mx = _mm256_mul_epu32(kx, _mm256_srli_epi64(kx, 32)), my = _mm256_mul_epu32(ky, _mm256_srli_epi64(ky, 32));
    a = _mm256_add_epi64(a, _mm256_add_epi64(mx, _mm256_shuffle_epi32(x, 0x4e)));
    b = _mm256_add_epi64(b, _mm256_add_epi64(my, _mm256_shuffle_epi32(y, 0x4e)));
    key = _mm256_sub_epi64(key, more);
  }
  _mm256_storeu_si256((void *)v, a);
  _mm256_storeu_si256((void *)(v + 4), b);
}
