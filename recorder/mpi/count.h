/* Counts as arguments. A count below zero is an error of the program's that MPI
 * will report; here it is 0. */
#pragma once

#include "base/base.h"
#include "mpi/call.h"

static inline uint64_t lg_natural(long n)
{
  return n > 0 ? (uint64_t)n : 0;
}

static inline uint64_t lg_count_of(const struct lg_call *c, int i)
{
  bool wide = c->desc->wide;
  if (c->binding != LG_BIND_C)
    return lg_natural(wide ? *(const long *)c->args[i] : *(const int *)c->args[i]);
  return lg_natural(wide ? c->args[i] : (int)c->args[i]);
}

static inline uint64_t lg_count_at(const struct lg_call *c, int i, int k)
{
  return lg_natural(c->desc->wide ? ((const long *)c->args[i])[k] : ((const int *)c->args[i])[k]);
}
