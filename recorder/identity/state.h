/* The Markov model of one thread: its states, named by function and call stack,
 * and how often each followed each. */
#pragma once

#include "base/base.h"
#include "identity/history.h"
#include "mpi/table.h"
#include "stack/cache.h"

struct lg_comm_ref;
struct lg_chan;
struct lg_last;
struct lg_sent;

struct lg_st { /* a state, with what was found at its last visit */
  struct lg_state_live *live; /* in the file */
  struct { /* the transition that was taken last from here */
    uint32_t to;
    uint64_t *count;
  } last;
  uint32_t index;
  uint16_t func;
  uint8_t binding, partial;
  uint32_t nframes;
  uint64_t hash;
  uint64_t name, site; /* hashes of function and call stack, the same in all processes */
  const uint64_t *frames; /* in the file */
  long comm_arg;          /* the communicator that was named, while comm_gen is lg_comm_gen */
  struct lg_comm_ref *comm;
  uint32_t comm_gen;
  struct lg_chan *chan[2];
  struct lg_sent *sent; /* in the file; NULL before it sends */
  long type;            /* the datatype seen last, with its size, while type_gen is lg_sizes_gen */
  uint64_t type_size;
  uint32_t type_gen;
  struct lg_collective collective; /* that it began last, */
  long told[4];                    /* made of these arguments */
  uint32_t told_gen, told_flags;   /* and of lg_sizes_gen and the flags of the communicator */
  long op; /* the operation seen last, with its number; op_number 0: none yet */
  uint32_t op_number;
  uint64_t made_at; /* the progress of the thread when it made something last, see lg_count_made */
  struct lg_last *said; /* what the recording of usage said last of it */
};

struct lg_model {
  struct lg_st *prev; /* the state before; NULL at first */
  struct lg_cache cache; /* finds a state by the stack */
  uint32_t thread; /* its index in the file */
  struct lg_st *states; /* of the block that is being filled */
  uint32_t nstates;
  struct lg_st **by_hash;
  uint32_t by_hash_size;
  struct lg_edge_slot *edges;
  uint32_t edges_size, nedges;
};

#pragma GCC visibility push(hidden)

bool lg_model_make(struct lg_model *m); /* false: no memory */
/* The state of a call; NULL: no room, the recording is turned off, or a call of Fortran before its INTEGERs are known (mpi/integer.h). */
struct lg_st *lg_state_find(struct lg_model *m, const struct lg_desc *d, int binding, uint64_t ra, uint64_t cfa);
void lg_edge_slow(struct lg_model *m, struct lg_st *from, struct lg_st *to);

#pragma GCC visibility pop

/* lg_transition counts a visit of a state, and the way there. */
static inline void lg_transition(struct lg_model *m, struct lg_st *st)
{
  struct lg_st *prev = m->prev;
  ++st->live->visits;
  if (likely(prev != NULL)) {
    if (likely(prev->last.to == st->index))
      ++*prev->last.count;
    else
      lg_edge_slow(m, prev, st);
  }
  m->prev = st;
}

/* lg_count_made counts a datatype or a persistent request that a call of the state made when the thread had come that far
 * (lg_thread.progress). What is made in one go is one round. */
static inline void lg_count_made(struct lg_st *st, uint64_t progress)
{
  struct lg_state_live *live = st->live;
  if (live->unfreed++ == 0)
    live->rounds = 1;
  else if (st->made_at != progress)
    live->rounds++;
  st->made_at = progress;
}
