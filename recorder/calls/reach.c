#include "base/peek.h"
#include "calls/reach.h"
#include "format.h"
#include "identity/comm.h"
#include "mpi/address.h"
#include "mpi/extent.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/type.h"

#define MAX_BYTES (INT64_C(1) << 56) /* that a call is believed to reach */

bool lg_number(const struct lg_call *c, int i, int k, int64_t *v)
{
  const struct lg_param *p = &c->desc->params[i];
  bool wide = p->kind == P_count || p->kind == P_aint;
  size_t bytes = wide ? sizeof(int64_t) : sizeof(int32_t);
  int32_t narrow;
  if (k < 0 && c->binding == LG_BIND_C) {
    *v = wide ? c->args[i] : (int)c->args[i];
    return true;
  }
  uint64_t at = (uint64_t)c->args[i] + (k < 0 ? 0 : (uint64_t)k * bytes);
  if (wide)
    return lg_peek(at, v, bytes) == bytes;
  bool read = lg_peek(at, &narrow, bytes) == bytes;
  *v = narrow;
  return read;
}

bool lg_in_memory(const struct lg_call *c, int i)
{
  const struct lg_param *p = &c->desc->params[i];
  return p->kind < P_buffer && (c->binding != LG_BIND_C || p->ref || p->len != LG_ONE);
}

bool lg_is_root(const struct lg_call *c)
{
  int64_t root;
  if (!c->comm || c->comm->what != LG_HANDLE_COMM || c->desc->peer < 0 || !lg_number(c, c->desc->peer, -1, &root))
    return false;
  return root == (c->comm->flags & LG_COMM_INTER ? lg_fam.root : c->comm->rank);
}

long lg_reach_type(const struct lg_call *c, int i, int k)
{
  long handle = 0;
  int number = 0;
  bool small = c->binding != LG_BIND_C || lg_fam.handle_bytes == 4;
  uint64_t at = (uint64_t)c->args[i], bytes = small ? sizeof number : sizeof handle;
  if (k < 0 && c->binding == LG_BIND_C)
    return lg_handle_in(c, i);
  at += k < 0 ? 0 : (uint64_t)k * bytes;
  if (lg_peek(at, small ? (void *)&number : (void *)&handle, bytes) != bytes)
    return 0;
  return small ? lg_handle_kept(c, number) : handle;
}

bool lg_reach_add(struct lg_reach *r, int64_t from, int64_t count, long type)
{
  struct lg_extent e;
  if (count <= 0)
    return true;
  if (!lg_extent_known(type, &e) || e.extent < 0 || (e.extent && count > MAX_BYTES / e.extent) || from > MAX_BYTES || from < -MAX_BYTES)
    return false;
  int64_t low = from + e.true_lb, high = low + (count - 1) * e.extent + e.true_extent;
  bool first = r->low == r->high;
  r->low = first || low < r->low ? low : r->low;
  r->high = first || high > r->high ? high : r->high;
  return true;
}

/* one adds count elements, both arguments of the call, n times one behind the other. */
static bool one(const struct lg_call *c, struct lg_reach *r, int count, int type, int64_t n)
{
  int64_t v;
  return count >= 0 && type >= 0 && n > 0 && lg_number(c, count, -1, &v) && v <= MAX_BYTES / n &&
         lg_reach_add(r, 0, v * n, lg_reach_type(c, type, -1));
}

/* is_array: each member has its own. */
static bool is_array(const struct lg_call *c, int i)
{
  return c->desc->params[i].len != LG_ONE;
}

/* several adds a different count for each of n members: at displacements, in elements or, where each has its own type, in bytes; or
 * one behind the other, if there are none. */
static bool several(const struct lg_call *c, struct lg_reach *r, int counts, int displs, int types, int n)
{
  struct lg_extent e;
  bool own = is_array(c, types);
  int64_t sum = 0, count, at;
  for (int k = 0; k < n; k++) {
    int64_t high = r->high;
    long type = lg_reach_type(c, types, own ? k : -1);
    if (!lg_number(c, counts, k, &count))
      return false;
    sum += count > 0 ? count : 0;
    if (count <= 0 || displs < 0)
      continue;
    if (!lg_number(c, displs, k, &at) || at < 0 || (!own && !lg_extent_known(type, &e)) || (!own && e.extent && at > MAX_BYTES / e.extent) ||
        !lg_reach_add(r, own ? at : at * e.extent, count, type))
      return false;
    if (r->high != high)
      r->element = k;
  }
  return displs >= 0 || lg_reach_add(r, 0, sum, lg_reach_type(c, types, -1));
}

static bool is_collective(int cls)
{
  return cls == CLS_coll || cls == CLS_icoll || cls == CLS_coll_init;
}

static bool has_peer(const struct lg_call *c, int peer)
{
  int64_t v;
  return peer < 0 || (lg_number(c, peer, -1, &v) && v != lg_fam.proc_null);
}

/* sent adds what the call sends. */
static bool sent(const struct lg_call *c, struct lg_reach *r)
{
  const struct lg_desc *d = c->desc;
  int n = c->comm ? c->comm->size : 0;
  if (!is_collective(d->cls))
    return has_peer(c, d->peer) && d->partitions < 0 && (d->traits & TRAIT_sends) == TRAIT_sends_one &&
           one(c, r, d->send_count, d->send_type, 1);
  if ((d->traits & TRAIT_from_root && !lg_is_root(c) && d->recv_buf >= 0) || lg_in_place(c, d->send_buf))
    return false;
  switch (d->traits & TRAIT_sends) {
  case TRAIT_sends_one: return one(c, r, d->send_count, d->send_type, 1);
  case TRAIT_sends_blocks: return one(c, r, d->send_count, d->send_type, n);
  default: return is_array(c, d->send_count) && several(c, r, d->send_count, d->send_displs, d->send_type, n);
  }
}

/* received adds what the call receives. */
static bool received(const struct lg_call *c, struct lg_reach *r)
{
  const struct lg_desc *d = c->desc;
  int count = d->in_place_count, type = d->in_place_type, n = c->comm ? c->comm->size : 0;
  if (!is_collective(d->cls))
    return has_peer(c, d->peer2 >= 0 ? d->peer2 : d->peer) && d->partitions < 0 && one(c, r, d->recv_count, d->recv_type, 1);
  if ((d->traits & TRAIT_to_root && !lg_is_root(c)) || (d->traits & TRAIT_exclusive && c->comm->rank == 0) || lg_in_place(c, d->recv_buf))
    return false;
  if (count < 0) /* a reduction: the sizes of both are the same */
    return one(c, r, d->send_count, d->send_type, 1);
  type = type < 0 ? d->send_type : type;
  if (is_array(c, count) && d->recv_displs >= 0)
    return several(c, r, count, d->recv_displs, type, n);
  int64_t own;
  if (is_array(c, count)) /* a block of its own of a reduction */
    return c->comm->rank >= 0 && lg_number(c, count, c->comm->rank, &own) && lg_reach_add(r, 0, own, lg_reach_type(c, type, -1));
  bool single = d->traits & TRAIT_from_root || d->op >= 0;
  return one(c, r, count, type, single ? 1 : n);
}

/* may_tell: who takes part is known, and is all who could. */
static bool may_tell(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_coll: case CLS_icoll: case CLS_coll_init:
    return c->comm && c->comm->what == LG_HANDLE_COMM && c->comm->size > 0 && !(c->comm->flags & LG_COMM_INTER) &&
           !(d->traits & TRAIT_neighbours) && d->traits & TRAIT_sends;
  case CLS_send: case CLS_isend: case CLS_bsend: case CLS_ibsend: case CLS_send_init: case CLS_bsend_init: case CLS_recv: case CLS_irecv:
  case CLS_recv_init: case CLS_mrecv: case CLS_imrecv: case CLS_sendrecv: case CLS_isendrecv: case CLS_rma: case CLS_rma_nb: case CLS_rma_now:
    return true;
  default:
    return false;
  }
}

/* is_contiguous: Fortran passed no descriptor of a section with gaps, which MPI reads by it. */
static bool is_contiguous(const struct lg_call *c, int i)
{
  struct { /* as the standard has it (ISO/IEC 1539-1:2018, 18.5.3), and gfortran and flang */
    uint64_t base, element;
    int32_t version;
    int8_t rank, type, other[2];
  } head;
  return c->binding != LG_BIND_F08TS || (lg_peek((uint64_t)c->args[i], &head, sizeof head) == sizeof head && head.base);
}

int lg_reaches(const struct lg_call *c, struct lg_reach out[LG_MAX_REACHES])
{
  const struct lg_desc *d = c->desc;
  bool writes = d->cls == CLS_recv || d->cls == CLS_irecv || d->cls == CLS_recv_init || d->cls == CLS_mrecv || d->cls == CLS_imrecv;
  int n = 0;
  if (!may_tell(c))
    return 0;
  if (d->traits & TRAIT_sends && d->send_buf >= 0 && !writes && is_contiguous(c, d->send_buf)) {
    bool both = d->traits & TRAIT_from_root && d->recv_buf < 0; /* MPI_Bcast */
    bool replaced = d->cls == CLS_sendrecv && d->recv_buf == d->send_buf;
    out[n] = (struct lg_reach){.position = d->send_buf, .element = -1, .written = replaced || (both && !lg_is_root(c))};
    n += sent(c, &out[n]) && out[n].high > out[n].low;
  }
  if (d->recv_buf >= 0 && (writes || d->recv_buf != d->send_buf || !(d->traits & TRAIT_sends)) && is_contiguous(c, d->recv_buf)) {
    out[n] = (struct lg_reach){.position = d->recv_buf, .element = -1, .written = true};
    n += received(c, &out[n]) && out[n].high > out[n].low;
  }
  return n;
}
