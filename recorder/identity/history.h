/* What collectives a communicator, window or file has seen, kept so that the
 * histories of its members can be compared after a failure: the latest ones call
 * by call, all before them by hashes that are the same at all members. */
#pragma once

#include "base/base.h"
#include "format.h"

struct lg_collective { /* one call, as struct lg_begun has it */
  uint64_t call, site; /* hashes of function, root, operation and bytes; of the call stack */
  struct lg_told told;
};

#pragma GCC visibility push(hidden)

struct lg_history *lg_history_make(uint32_t comm); /* of a communicator, by its record; NULL: no room */
void lg_history_put(struct lg_history *h, uint64_t n, const struct lg_collective *what); /* the n-th, from 1 */
/* lg_history_drop takes the n-th out again, if it is the latest of the process and a state of a thread began it; else false. Not one of
 * which a checkpoint was taken. */
bool lg_history_drop(struct lg_history *h, uint64_t n, uint32_t thread, uint32_t state);
void lg_history_reset(struct lg_history *h); /* its communicator is another one now */
uint32_t lg_history_order(void); /* how many collectives the process has begun, its low bits */

#pragma GCC visibility pop
