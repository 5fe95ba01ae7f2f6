#include "file/rank.h"
#include "identity/comm.h"
#include "identity/topology.h"
#include "mpi/address.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "usage/argument.h"
#include "usage/constants.h"
#include "usage/datatype.h"
#include "usage/length.h"

/* comm_named is the communicator that the call is about; NULL: none. */
static struct lg_comm_ref *comm_named(const struct lg_call *c)
{
  if (c->desc->comm < 0)
    return NULL;
  return c->comm && c->comm->what == LG_HANDLE_COMM ? c->comm : lg_comm_find(LG_HANDLE_COMM, lg_comm_handle(c, c->desc->comm));
}

/* topology asks once how many neighbours and dimensions the communicator has, as
 * its arrays have them: one that is there twice counts twice. */
static void topology(struct lg_comm_ref *r)
{
  struct lg_topology t;
  r->sources = r->dests = r->dims = 1;
  if (!lg_mpi_usable() || !lg_topology_of(r->handle, r->rank, &t))
    return;
  r->dims += t.dims;
  r->sources += t.in;
  r->dests += t.out;
}

static int64_t of_comm(const struct lg_call *c, int len)
{
  struct lg_comm_ref *r = comm_named(c);
  if (!r)
    return -1;
  if (len >= LG_SOURCES && !r->sources)
    topology(r);
  switch (len) {
  case LG_GROUP_SIZE: return r->flags & LG_COMM_INTER ? r->remote_size : r->size;
  case LG_LOCAL_SIZE: return r->size;
  case LG_SOURCES: return r->sources - 1;
  case LG_DESTINATIONS: return r->dests - 1;
  default: return r->dims - 1;
  }
}

static bool at_root(const struct lg_call *c, int i)
{
  struct lg_comm_ref *r = comm_named(c);
  int root = (int)lg_arg(c, i, 0);
  return r && (r->flags & LG_COMM_INTER ? root == lg_fam.root : root == r->rank);
}

static int64_t sum_of_array(const struct lg_call *c, int i)
{
  bool known;
  int64_t total = 0;
  uint32_t n = lg_length(c, &c->desc->params[i], &known);
  for (uint32_t k = 0; known && k < n; k++)
    total += lg_arg(c, i, k);
  return known ? total : -1;
}

static int64_t last(const struct lg_call *c, int i)
{
  bool known;
  uint32_t n = lg_length(c, &c->desc->params[i], &known);
  return !known ? -1 : n ? lg_arg(c, i, n - 1) : 0;
}

uint32_t lg_length(const struct lg_call *c, const struct lg_param *p, bool *known)
{
  int64_t n;
  *known = false;
  if ((p->only == LG_AT_ROOT && !at_root(c, p->by)) || (p->only == LG_UNLESS_IN_PLACE && lg_arg_address(c, p->by) == LG_USE_IN_PLACE))
    return 0;
  switch (p->len) {
  case LG_UNRECORDED: return 0;
  case LG_ONE: n = 1; break;
  case LG_BY_PARAM: n = lg_arg(c, p->by, 0); break;
  case LG_TRIPLES: n = 3 * lg_arg(c, p->by, 0); break;
  case LG_SUM_OF: n = sum_of_array(c, p->by); break;
  case LG_LAST_OF: n = last(c, p->by); break;
  case LG_CONTENTS: n = lg_type_contents(c->binding == LG_BIND_C ? lg_arg(c, 0, 0) : lg_f2c(P_datatype, (int)lg_arg(c, 0, 0))); break;
  default: n = of_comm(c, p->len); break;
  }
  *known = n >= 0 && n <= UINT32_MAX;
  return *known ? (uint32_t)n : 0;
}
