/* The exception that a thread of a program in Python is in the midst of, or that one of C++ threw last, for the file. */
#pragma once

#include "identity/thread.h"
#include "python/words.h"

#define LG_THROW_PLACES 8

/* A type of exception that a thread threw from a function at a place on the stack. */
struct lg_throw_place {
  uint64_t hash; /* of both */
  int times;     /* that it threw it, up to 3 */
};

/* What a thread threw last, since its first call of MPI, or the error that ends the process. The file lock is held while it changes, but for the
 * first two. */
struct lg_thrown {
  uint64_t calls; /* `calls` of the thread when it was thrown last from there */
  uint32_t order; /* and the collectives of the process */
  int tid;        /* of the thread: its place may have become another's */
  uint64_t cfa;   /* of the frame that threw */
  struct lg_raised_words words; /* where it was thrown, and from where that was called */
  struct lg_slot_check check[LG_MAX_RAISED]; /* the return addresses that say so */
  struct lg_throw_place places[LG_THROW_PLACES]; /* where it throws; of more the first ones are replaced */
  int replaced;
};

#pragma GCC visibility push(hidden)

void lg_raised_captured(struct lg_thr *t); /* its stack was captured just now; the file lock is held */
bool lg_raised_room_elsewhere(void); /* one more exception of a thread that never called MPI would be recorded */
void lg_raised_elsewhere(const struct lg_raised_words *w); /* such a thread has thrown it; the file lock is held */
void lg_raised_thrown(struct lg_thr *t); /* it has thrown another one than before, or met a fatal error; the file lock is held */
/* Called now and then: when the interpreter has begun to end, the exception that nothing caught is
 * noted. A while later nothing can be read of it. */
void lg_raised_at_end(void);

#pragma GCC visibility pop
