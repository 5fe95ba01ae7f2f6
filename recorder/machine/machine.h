/* What differs from one kind of processor to the next. Each header that is chosen here
 * offers the same names; checksums.h does so for the instructions that sum up memory. */
#pragma once

#if defined __x86_64__
#include "machine/x86_64.h"
#elif defined __aarch64__
#include "machine/aarch64.h"
#else
#error "the recorder knows the processors x86-64 and aarch64 only"
#endif

/* The return address of the function that this stands in, and the address that names its
 * frame, with which a cached stack is found again: the word below it holds the return address. */
#define LG_RA ((uint64_t)__builtin_return_address(0))
#define LG_CFA LG_MACHINE_CFA

static inline uint64_t lg_bit(int reg) /* of the registers that are known */
{
  return 1ull << reg;
}
