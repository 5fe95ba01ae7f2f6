/* Data movements (docs/movement.md): which events there are is in format.h. The
 * functions that see them, in libc/ and moved.c, come through export.h or this. */
#ifndef LAGGARD_MOVES_H
#define LAGGARD_MOVES_H

#include "core.h"

#pragma GCC visibility push(hidden)

extern bool lg_moving; /* movements are recorded */

void lg_moves_start(void);
bool lg_moves_wanted(uint64_t ra); /* whether the module that called is of interest */
void lg_moves_modules(void);       /* reads the list of those that are not */

struct lg_early { /* a buffer from before the first MPI call */
  const void *p;
  size_t n;
  uint64_t ra;
  const char *function;
};

void lg_early_alloc(const char *function, const void *p, size_t n, uint64_t ra);
void lg_early_free(const void *p);
void lg_early_each(void (*f)(const struct lg_early *));

struct lg_message { /* one that an MPI call names */
  const void *at;
  uint64_t bytes;
  uint32_t thread, state; /* that sends it, or began to receive it */
  uint32_t comm;
  int32_t peer, tag;
  uint64_t seq;
};

void lg_moves_message(bool out, const struct lg_message *m);

#pragma GCC visibility pop
#endif
