#include <string.h>
#include "base/crc.h"

#define CASTAGNOLI 0x82f63b78u /* the polynomial, its bits reversed */

static uint32_t __attribute__((target("sse4.2"))) crc_by_instruction(uint32_t crc, const unsigned char *b, size_t n)
{
  uint64_t c = ~crc, word;
  for (; n >= 8; n -= 8, b += 8) {
    memcpy(&word, b, 8);
    c = __builtin_ia32_crc32di(c, word);
  }
  while (n--)
    c = __builtin_ia32_crc32qi((uint32_t)c, *b++);
  return ~(uint32_t)c;
}

/* Each new call site costs a checksum, and a program may have thousands. The
 * thread that finds the table empty fills it; two may fill it with the same. */
uint32_t lg_crc(uint32_t crc, const void *p, size_t n)
{
  if (likely(__builtin_cpu_supports("sse4.2")))
    return crc_by_instruction(crc, p, n);
  static uint32_t table[256];
  const unsigned char *b = p;
  if (unlikely(!__atomic_load_n(&table[255], __ATOMIC_ACQUIRE)))
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t v = i;
      for (int k = 0; k < 8; k++)
        v = v & 1 ? v >> 1 ^ CASTAGNOLI : v >> 1;
      __atomic_store_n(&table[i], v, __ATOMIC_RELEASE);
    }
  crc = ~crc;
  while (n--)
    crc = table[(crc ^ *b++) & 0xff] ^ crc >> 8;
  return ~crc;
}
