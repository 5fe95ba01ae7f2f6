/* Exceptions of C++: the last one that each thread of the program threw, for the file. */
#ifndef LAGGARD_THROWN_H
#define LAGGARD_THROWN_H

#include "base/base.h"
#include "format.h"

/* What a thread threw last, since its first call of MPI. The file lock is held while it changes, but for the
 * first two. */
struct lg_thrown {
  uint64_t calls; /* `calls` of the thread when it was thrown last from there */
  uint32_t order; /* and the collectives of the process */
  uint64_t cfa;   /* of the frame that threw */
  int tid;        /* of the thread: its place may have become another's */
  bool cut;       /* there are more frames */
  char type[LG_MAX_RAISED_TYPE];
  int n;
  uint64_t word[LG_MAX_RAISED];   /* where it was thrown, and from where that was called */
  const uint64_t *at[LG_MAX_RAISED]; /* where the return addresses are on the stack */
  uint64_t ra[LG_MAX_RAISED];
};

#endif
