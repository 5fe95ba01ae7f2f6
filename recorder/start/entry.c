#include "base/locks.h"
#include "base/recording.h"
#include "calls/dispatch.h"
#include "calls/operation.h"
#include "calls/poll.h"
#include "identity/thread.h"
#include "mpi/family.h"
#include "start/entry.h"
#include "start/start.h"
#include "usage/usage.h"
#include "volume/bytes.h"
#include "volume/volume.h"

/* A request that is only made sends when it is started. */
static inline void count_bytes(struct lg_call *c)
{
  int cls = c->desc->cls;
  if (cls == CLS_send_init || cls == CLS_bsend_init || cls == CLS_coll_init)
    return;
  bool collective = cls == CLS_coll || cls == CLS_icoll;
  lg_sent(c, collective ? LG_NONE : lg_peer(lg_int(c, c->desc->peer)), lg_send_bytes(c));
}

static bool uses_tables(int cls)
{
  return cls != CLS_local;
}

static struct lg_thr *__attribute__((noinline)) first_call(void)
{
  if (lg_off || !lg_start())
    return NULL;
  return lg_thread_register();
}

bool lg_before(struct lg_call *c, const struct lg_desc *d, int binding, long *args, void *ra, void *cfa)
{
  struct lg_thr *t = lg_self;
  if (unlikely(!t) && !(t = first_call()))
    return false;
  if (unlikely(lg_off) || lg_within(t, (uint64_t)cfa))
    return false;
  struct lg_st *st = lg_state_find(&t->model, d, binding > LG_BIND_F08 ? LG_BIND_F08 : binding, (uint64_t)ra, (uint64_t)cfa);
  if (unlikely(!st))
    return false;
  c->thr = t;
  c->desc = d;
  c->binding = binding;
  c->args = args;
  c->st = st;
  c->comm = NULL;
  c->handle = 0;
  c->n = 0;
  c->req = NULL;
  c->peer = LG_PROC_NULL;
  c->tag = LG_NONE;
  c->own_status = false;
  c->recorded = false;
  t->outer_cfa = (uint64_t)cfa;
  t->outer_ra = (uint64_t)ra;
  lg_transition(&t->model, st);
  if (t->empty.st) {
    if (lg_poll_again(c))
      return true;
    t->empty.st = NULL;
  }
  if (!uses_tables(d->cls) && !lg_usage_on) {
    lg_op_local(c);
    return true;
  }
  lg_lock_tables();
  lg_dispatch_before(c);
  if (unlikely(lg_volume) && d->sends)
    count_bytes(c);
  if (lg_usage_on)
    lg_usage_before(c);
  lg_unlock_tables();
  return true;
}

void lg_after(struct lg_call *c)
{
  struct lg_thr *t = c->thr;
  if ((c->recorded || uses_tables(c->desc->cls)) && likely(!lg_off)) {
    lg_lock_tables();
    if (c->recorded)
      lg_usage_ended(c); /* what the call completed is still known */
    lg_dispatch_after(c);
    if (c->recorded)
      lg_usage_after(c);
    lg_unlock_tables();
  }
  t->outer_cfa = 0;
  __atomic_store_n(&t->pub->in_mpi, 0, __ATOMIC_RELEASE);
}

struct lg_thr *lg_light_begin(void *cfa)
{
  struct lg_thr *t = lg_self;
  if (!t || lg_off || lg_within(t, (uint64_t)cfa))
    return NULL;
  t->pub->light++;
  t->outer_cfa = (uint64_t)cfa;
  t->outer_ra = ((uint64_t *)cfa)[-1];
  return t;
}
