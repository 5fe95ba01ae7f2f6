#include "format.h"
#include "identity/signature.h"
#include "identity/state.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/handle.h"
#include "mpi/reduction.h"
#include "mpi/type.h"

uint64_t lg_state_type_size(struct lg_call *c, int i)
{
  struct lg_st *st = c->st;
  long handle = lg_type_handle(c, i, -1);
  if (unlikely(st->type != handle || st->type_gen != lg_sizes_gen)) {
    st->type_size = lg_type_size(c, handle);
    st->type = handle;
    st->type_gen = lg_sizes_gen;
  }
  return st->type_size;
}

/* uses_in_place: MPI_IN_PLACE changes which count and type tell the bytes. */
static bool uses_in_place(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (d->in_place_count < 0)
    return false;
  return lg_in_place(c, d->traits & TRAIT_alike_received ? d->recv_buf : d->send_buf);
}

uint64_t lg_common_bytes(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (!(d->traits & (TRAIT_alike_sent | TRAIT_alike_received)))
    return UINT64_MAX;
  /* In place, at the root or everywhere, the other side's count and type say it. */
  bool received = !!(d->traits & TRAIT_alike_received) != uses_in_place(c);
  uint64_t n = lg_count_of(c, received ? d->recv_count : d->send_count);
  return n ? n * lg_state_type_size(c, received ? d->recv_type : d->send_type) : 0;
}

uint32_t lg_reduction_of(struct lg_call *c)
{
  struct lg_st *st = c->st;
  if (!(c->desc->traits & TRAIT_sends) || c->desc->op < 0)
    return 0;
  long given = lg_handle_in(c, c->desc->op);
  if (unlikely(st->op != given || !st->op_number)) {
    uint32_t number = lg_reduction_number(lg_op_handle(c, c->desc->op));
    st->op = given;
    st->op_number = number > lg_nreductions ? LG_OP_OWN : number;
  }
  return st->op_number;
}
