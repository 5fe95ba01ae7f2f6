#include "base/hash.h"
#include "identity/collective.h"
#include "identity/signature.h"
#include "identity/state.h"
#include "identity/thread.h"
#include "mpi/type.h"

/* differ tells whether two arguments, of which a collective is made, are others than
 * at the last call from the same place. Upper bits that a C call left undefined only
 * cost a look at the rest. */
static inline bool differ(const struct lg_call *c, const long *said)
{
  const int8_t *at = c->desc->told;
  return (c->args[at[0]] ^ said[0]) | (c->args[at[1]] ^ said[1]) | (c->args[at[2]] ^ said[2]) | (c->args[at[3]] ^ said[3]);
}

static void __attribute__((noinline)) look(struct lg_call *c, const struct lg_comm_ref *comm, int root)
{
  struct lg_st *st = c->st;
  struct lg_told t = {.state = st->index, .thread = (uint16_t)c->thr->pub->index, .op = (uint16_t)lg_reduction_of(c),
                      .bytes = UINT64_MAX, .root = LG_NONE};
  if (!(comm->flags & LG_COMM_INTER)) { /* the two groups of an intercommunicator give different roots and counts */
    t.bytes = lg_common_bytes(c);
    t.root = root;
  }
  uint64_t call = lg_mix(lg_mix(st->name, (uint64_t)t.op << 32 | (uint32_t)t.root), t.bytes);
  st->collective = (struct lg_collective){call, st->site, t};
  st->told_gen = lg_sizes_gen;
  st->told_flags = comm->flags;
  for (int k = 0; k < 4; k++)
    st->told[k] = c->args[c->desc->told[k]];
}

/* A call is made of other things where MPI_IN_PLACE or a large count comes in, and
 * Fortran passes addresses: these are looked at each time. */
const struct lg_collective *lg_collective_of(struct lg_call *c, const struct lg_comm_ref *comm, int root)
{
  const struct lg_st *st = c->st;
  if (unlikely(differ(c, st->told) || st->told_gen != lg_sizes_gen || st->told_flags != comm->flags ||
               c->binding != LG_BIND_C || c->desc->told_more))
    look(c, comm, root);
  return &st->collective;
}

uint64_t __attribute__((noinline)) lg_collective_begin(struct lg_call *c, struct lg_comm_ref *comm, int root)
{
  return lg_collective_again(comm, lg_collective_of(c, comm, root));
}

uint64_t lg_collective_again(struct lg_comm_ref *r, const struct lg_collective *w)
{
  uint64_t n = ++r->live->coll;
  if (likely(r->history != NULL) || (r->history = lg_history_make(r->index)))
    lg_history_put(r->history, n, w);
  return n;
}
