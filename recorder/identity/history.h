/* What collectives a communicator, window or file has seen, kept so that the
 * histories of its members can be compared after a failure: the latest ones call
 * by call, all before them by hashes that are the same at all members. */
#ifndef LAGGARD_HISTORY_H
#define LAGGARD_HISTORY_H

#include "base/base.h"
#include "format.h"

struct lg_collective { /* one call, as struct lg_begun has it */
  uint64_t call, site; /* hashes of function, root, operation and bytes; of the call stack */
  uint64_t bytes;
  int32_t root;
  uint32_t op;
  uint32_t thread, state;
};

#pragma GCC visibility push(hidden)

/* lg_history_put adds the n-th collective of a communicator, of which `comm` is the
 * record; the history itself is made where it is NULL. */
void lg_history_put(struct lg_history **of, uint32_t comm, uint64_t n, const struct lg_collective *what);
void lg_history_reset(struct lg_history *h); /* its communicator is another one now */

#pragma GCC visibility pop
#endif
