/* Faults with which handlers of the program deal. The process is said to have ended by such a one until it is seen that it has not. */
#pragma once

#include "base/base.h"
#include "identity/thread.h"

#pragma GCC visibility push(hidden)

/* A handler with that frame, of the calling thread, deals with the fault by which the process is said to have ended at end_ns. */
void lg_dealing(uint64_t end_ns, uintptr_t frame);
void lg_dealt(uint64_t end_ns); /* it has returned */
void lg_dealt_look(uint64_t now); /* once a second: whether it was left otherwise */

#pragma GCC visibility pop

#define LG_HANDLER_DEPTH (1 << 20) /* bytes of stack that a handler may use */

/* lg_below tells whether a thread with that stack pointer is below the frame of a handler. If it left that by siglongjmp it is above. */
static inline bool lg_below(uintptr_t frame, uint64_t sp)
{
  return frame > sp && frame - sp < LG_HANDLER_DEPTH;
}

/* lg_calls_of is how many calls a thread has begun; NULL: it never called MPI. */
static inline uint64_t lg_calls_of(const struct lg_thr *t)
{
  return t ? t->pub->calls : 0;
}
