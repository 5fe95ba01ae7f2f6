#include "base/hash.h"
#include "identity/collective.h"
#include "identity/signature.h"
#include "identity/state.h"
#include "identity/thread.h"
#include "mpi/type.h"

/* These tell whether the arguments of which a collective is made are others than at
 * the last call from the same place. Upper bits that a C call left undefined only
 * cost a look at the rest; Fortran passes the addresses of integers. */
static inline bool differ(const struct lg_call *c, const long *told)
{
  const int8_t *at = c->desc->told;
  return (c->args[at[0]] ^ told[0]) | (c->args[at[1]] ^ told[1]) | (c->args[at[2]] ^ told[2]) |
         (c->args[at[3]] ^ told[3]);
}

static long integer_at(const struct lg_call *c, int k)
{
  return *(const int *)c->args[c->desc->told[k]];
}

static bool __attribute__((noinline)) differ_in_fortran(const struct lg_call *c, const long *told)
{
  return (integer_at(c, 0) ^ told[0]) | (integer_at(c, 1) ^ told[1]) | (integer_at(c, 2) ^ told[2]) |
         (integer_at(c, 3) ^ told[3]);
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
    st->told[k] = c->binding == LG_BIND_C ? c->args[c->desc->told[k]] : integer_at(c, k);
}

/* A call is made of other things, too, where MPI_IN_PLACE or a large count comes in:
 * these are looked at each time. */
const struct lg_collective *lg_collective_of(struct lg_call *c, const struct lg_comm_ref *comm, int root)
{
  const struct lg_st *st = c->st;
  bool other = likely(c->binding == LG_BIND_C) ? differ(c, st->told) : differ_in_fortran(c, st->told);
  if (unlikely(other || st->told_gen != lg_sizes_gen || st->told_flags != comm->flags ||
               c->desc->told_more))
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
