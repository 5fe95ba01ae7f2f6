#include "format.h"
#include "identity/comm.h"
#include "identity/signature.h"
#include "identity/state.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/type.h"
#include "volume/bytes.h"

#define NOBODY_BITS 64 /* neighbours of which lg_comm_ref.nobody tells */

/* ---- by whom, to whom ---- */

static bool is_inter(const struct lg_call *c)
{
  return c->comm->flags & LG_COMM_INTER;
}

/* sends_at_all: of a collective with a root only some ranks send. */
static bool sends_at_all(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (!c->comm)
    return false;
  if (d->traits & TRAIT_neighbours)
    return c->comm->slots > 0;
  if (!(d->traits & (TRAIT_from_root | TRAIT_to_root)))
    return true;
  int root = lg_int(c, d->peer);
  if (d->traits & TRAIT_from_root)
    return root == (is_inter(c) ? lg_fam.root : c->comm->rank);
  return !is_inter(c) || root >= 0;
}

static int members(const struct lg_call *c)
{
  if (c->desc->traits & TRAIT_neighbours)
    return c->comm->slots;
  return is_inter(c) && !(c->desc->traits & TRAIT_local) ? c->comm->remote_size : c->comm->size;
}

static bool takes(const struct lg_call *c, int k)
{
  return !(c->desc->traits & TRAIT_neighbours) || k >= NOBODY_BITS || !(c->comm->nobody >> k & 1);
}

static uint64_t takers(const struct lg_call *c)
{
  uint64_t n = 0;
  for (int k = 0; k < members(c); k++)
    n += takes(c, k);
  return n;
}

/* ---- bytes ---- */

/* Types are asked only for counts above zero: elsewhere they may be null. */
static uint64_t times(struct lg_call *c, uint64_t count, int type)
{
  return count ? count * lg_state_type_size(c, type) : 0;
}

static uint64_t sum_of_counts(const struct lg_call *c, int counts)
{
  uint64_t sum = 0;
  for (int k = 0, n = members(c); k < n; k++)
    sum += takes(c, k) ? lg_count_at(c, counts, k) : 0;
  return sum;
}

/* sum_of_blocks is the bytes of blocks that have a type each. */
static uint64_t sum_of_blocks(const struct lg_call *c, int counts, int types)
{
  uint64_t sum = 0;
  for (int k = 0, n = members(c); k < n; k++) {
    uint64_t count = takes(c, k) ? lg_count_at(c, counts, k) : 0;
    sum += count ? count * lg_type_size(c, lg_type_handle(c, types, k)) : 0;
  }
  return sum;
}

static uint64_t collective_bytes(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  int count = d->send_count, type = d->send_type;
  if (!sends_at_all(c))
    return 0;
  if (!(d->traits & (TRAIT_same | TRAIT_from_root)) && lg_in_place(c, d->send_buf)) {
    count = d->in_place_count;
    type = d->in_place_type;
    if (d->traits & TRAIT_to_root)
      return 0; /* the root has its part already */
    if (d->traits & TRAIT_own_of_blocks)
      return c->comm->rank < 0 ? 0 : times(c, lg_count_at(c, count, c->comm->rank), type);
  }
  switch (d->traits & TRAIT_sends) {
  case TRAIT_sends_one: return times(c, lg_count_of(c, count), type);
  case TRAIT_sends_blocks: return times(c, lg_count_of(c, count) * takers(c), type);
  case TRAIT_sends_sum: return times(c, sum_of_counts(c, count), type);
  default: return sum_of_blocks(c, count, type);
  }
}

static bool is_collective(int cls)
{
  return cls == CLS_coll || cls == CLS_icoll || cls == CLS_coll_init;
}

uint64_t lg_send_count(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (is_collective(d->cls) ? !sends_at_all(c) : lg_int(c, d->peer) == lg_fam.proc_null)
    return 0;
  switch (d->traits & TRAIT_sends) {
  case TRAIT_sends_one: return lg_count_of(c, d->send_count);
  case TRAIT_sends_blocks: return lg_count_of(c, d->send_count) * (uint64_t)members(c);
  case TRAIT_sends_sum: return d->traits & TRAIT_same ? sum_of_counts(c, d->send_count) : 0;
  default: return 0;
  }
}

static uint64_t one_sided_bytes(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  int form = d->traits & TRAIT_sends;
  if (d->op >= 0 && lg_op_handle(c, d->op) == lg_fam.op_null)
    return 0; /* only looks */
  if (form == TRAIT_sends_one)
    return times(c, lg_count_of(c, d->send_count), d->send_type);
  return times(c, form == TRAIT_sends_two ? 2 : 1, d->send_type);
}

uint64_t lg_send_bytes(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (is_collective(d->cls))
    return collective_bytes(c);
  if (lg_int(c, d->peer) == lg_fam.proc_null)
    return 0;
  if (d->win >= 0)
    return one_sided_bytes(c);
  uint64_t parts = d->partitions >= 0 ? lg_natural(lg_int(c, d->partitions)) : 1;
  return times(c, parts * lg_count_of(c, d->send_count), d->send_type);
}
