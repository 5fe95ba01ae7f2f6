/* aarch64: CRC-32C by the instructions that most processors have, the sums of buffers by
 * those that all have. */
#pragma once

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

static inline bool lg_has_crc(void)
{
  return getauxval(AT_HWCAP) & HWCAP_CRC32;
}

/* lg_crc_by_instruction goes on with a CRC-32C whose bits are inverted. */
static inline uint32_t __attribute__((target("+crc"))) lg_crc_by_instruction(uint32_t crc, const unsigned char *b,
                                                                               size_t n)
{
  uint64_t word;
  for (; n >= 8; n -= 8, b += 8) {
    memcpy(&word, b, 8);
    crc = __builtin_aarch64_crc32cx(crc, word);
  }
  while (n--)
    crc = __builtin_aarch64_crc32cb(crc, *b++);
  return crc;
}

static inline bool lg_has_sums(void)
{
  return true;
}

/* lg_sum_pair adds two words to their sums. */
static inline uint64x2_t lg_sum_pair(uint64x2_t sum, uint64x2_t x, uint64x2_t key)
{
  uint64x2_t mixed = veorq_u64(x, key);
  return vaddq_u64(vmlal_u32(sum, vmovn_u64(mixed), vshrn_n_u64(mixed, 32)), vextq_u64(x, x, 1));
}

/* lg_sums_by_vectors is sums of usage/sum.c; k: its K. */
static inline void lg_sums_by_vectors(uint64_t h, uint64_t k, const char *p, size_t n, uint64_t *v)
{
  const uint64x2_t more = vdupq_n_u64(k);
  uint64x2_t low = {~h, h + k}, high = {h ^ k, h};
  uint64x2_t sum[4] = {low, high, more, more};
  for (const char *end = p + n; p < end; p += 64) {
    sum[0] = lg_sum_pair(sum[0], vreinterpretq_u64_u8(vld1q_u8((const void *)p)), low);
    sum[1] = lg_sum_pair(sum[1], vreinterpretq_u64_u8(vld1q_u8((const void *)(p + 16))), high);
    sum[2] = lg_sum_pair(sum[2], vreinterpretq_u64_u8(vld1q_u8((const void *)(p + 32))), vaddq_u64(low, more));
    sum[3] = lg_sum_pair(sum[3], vreinterpretq_u64_u8(vld1q_u8((const void *)(p + 48))), vaddq_u64(high, more));
    low = vsubq_u64(low, more);
    high = vsubq_u64(high, more);
  }
  for (int i = 0; i < 4; i++)
    vst1q_u64(v + 2 * i, sum[i]);
}
