/* What a program allocates before its first MPI call, when there is no file to
 * write to yet: kept in memory, as long as it lives, with the address of the
 * call in place of a stack. In a process that never calls MPI it is never written. */
#pragma once

#include "base/base.h"

struct lg_early { /* a buffer */
  const void *p;
  size_t n;
  uint64_t ra;
  const char *function;
};

#pragma GCC visibility push(hidden)

void lg_early_alloc(const char *function, const void *p, size_t n, uint64_t ra);
void lg_early_free(const void *p);
void lg_early_each(void (*f)(const struct lg_early *)); /* of all that live; nothing is kept afterwards */

#pragma GCC visibility pop
