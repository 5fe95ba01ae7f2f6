#include "base/crc.h"
#include "machine/checksums.h"

#define CASTAGNOLI 0x82f63b78u /* the polynomial, its bits reversed */

/* Each new call site costs a checksum, and a program may have thousands. The
 * thread that finds the table empty fills it; two may fill it with the same. */
uint32_t lg_crc(uint32_t crc, const void *p, size_t n)
{
  if (likely(lg_has_crc()))
    return ~lg_crc_by_instruction(~crc, p, n);
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
