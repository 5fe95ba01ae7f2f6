/* Reading memory of which nothing is certain: the structures of an interpreter that
 * another thread may be changing, or that a program has damaged. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* What is read is the calling thread's own, which cannot change or go meanwhile: it is copied
 * as it is, which is much faster, and a fault ends it (base/reading.h). The file lock is held. */
extern bool lg_py_own;

size_t lg_py_some(uint64_t at, void *to, size_t n); /* copies up to n bytes; how many it were */

static inline bool lg_py_bytes(uint64_t at, void *to, size_t n)
{
  return lg_py_some(at, to, n) == n;
}

static inline bool lg_py_word(uint64_t at, uint64_t *to)
{
  return lg_py_bytes(at, to, sizeof *to);
}

#pragma GCC visibility pop
