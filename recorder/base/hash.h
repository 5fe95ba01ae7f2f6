/* Hashing of numbers and bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 2^64 divided by the golden ratio: multiplying by it spreads numbers that lie
 * close together (Knuth, The Art of Computer Programming, vol. 3, §6.4). */
#define LG_GOLDEN 0x9e3779b97f4a7c15ull

/* lg_spread is a hash of v in the range 0 … 2^bits - 1. */
static inline uint32_t lg_spread(uint64_t v, int bits)
{
  return (uint32_t)((v * LG_GOLDEN) >> (64 - bits));
}

/* lg_mix is the hash h with the value v added. */
static inline uint64_t lg_mix(uint64_t h, uint64_t v)
{
  h = (h ^ v) * LG_GOLDEN;
  return h ^ h >> 31;
}

/* lg_mix_bytes is the hash h with size bytes added, eight at a time; the last eight are filled with zeros. */
static inline uint64_t lg_mix_bytes(uint64_t h, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i += 8) {
    uint64_t part = 0;
    memcpy(&part, (const char *)bytes + i, size - i < 8 ? size - i : 8);
    h = lg_mix(h, part);
  }
  return h;
}
