/* Numbers in few bytes: LEB128 (DWARF 4, §7.6), at most 10 bytes each. */
#pragma once

#include <stdint.h>

/* lg_zigzag moves the sign into the lowest bit, so that small negative numbers
 * stay short. */
static inline uint64_t lg_zigzag(int64_t v)
{
  return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

/* lg_put_u writes an unsigned number at p and returns the place behind it. */
static inline unsigned char *lg_put_u(unsigned char *p, uint64_t v)
{
  while (v >= 0x80) {
    *p++ = (unsigned char)(v | 0x80);
    v >>= 7;
  }
  *p++ = (unsigned char)v;
  return p;
}

/* lg_put_s does so with a signed one. */
static inline unsigned char *lg_put_s(unsigned char *p, int64_t v)
{
  return lg_put_u(p, lg_zigzag(v));
}
