/* A sum over bytes, to see whether they changed; not for a file or another
 * machine, as it depends on the instructions at hand. */
#pragma once

#include "base/base.h"
#include "base/hash.h"

#pragma GCC visibility push(hidden)

#define LG_SUM_START LG_GOLDEN
uint64_t lg_sum(uint64_t h, const char *p, size_t n); /* of n bytes behind others with the sum h, at first LG_SUM_START */

#pragma GCC visibility pop
