#include "base/hash.h"
#include "identity/collective.h"
#include "identity/signature.h"
#include "identity/state.h"
#include "identity/thread.h"

struct lg_collective lg_collective_of(struct lg_call *c, const struct lg_comm_ref *comm, int root)
{
  struct lg_collective w = {.site = c->st->site, .bytes = UINT64_MAX, .root = LG_NONE, .op = lg_reduction_of(c),
                            .thread = c->thr->pub->index, .state = c->st->index};
  if (!(comm->flags & LG_COMM_INTER)) { /* the two groups of an intercommunicator give different roots and counts */
    w.bytes = lg_common_bytes(c);
    w.root = root;
  }
  w.call = lg_mix(lg_mix(c->st->name, (uint64_t)w.op << 32 | (uint32_t)w.root), w.bytes);
  return w;
}

static bool alone(const struct lg_comm_ref *r)
{
  return r->what == LG_HANDLE_FORMING || (r->size == 1 && r->remote_size == 0);
}

uint64_t lg_collective_begin(struct lg_comm_ref *r, const struct lg_collective *w)
{
  uint64_t n = ++r->live->coll;
  if (!alone(r))
    lg_history_put(&r->history, r->index, n, w);
  return n;
}
