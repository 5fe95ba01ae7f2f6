#include "base/locks.h"
#include "identity/request.h"
#include "identity/scratch.h"
#include "identity/thread.h"
#include "mpi/address.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "perturb/around.h"
#include "perturb/forward.h"
#include "perturb/probe.h"

static __thread struct {
  struct lg_call *call;
  void *inner;
  lg_afterwards f;
  int position;
  long argument;
} outer __attribute__((tls_model("initial-exec")));

static long around(void)
{
  typeof(outer) o = outer;
  struct lg_call *c = o.call;
  long own = o.position >= 0 ? c->args[o.position] : 0;
  if (o.position >= 0)
    c->args[o.position] = o.argument;
  long code = lg_forward(o.inner, c, -1, 0);
  if (o.position >= 0)
    c->args[o.position] = own;
  c->code = (int)code;
  c->code = lg_returned(c);
  lg_lock_tables();
  o.f(c);
  lg_unlock_tables();
  return code;
}

void lg_put_around(struct lg_call *c, lg_afterwards f, int position, long argument)
{
  outer = (typeof(outer)){c, c->real, f, position, argument};
  c->real = (void *)around;
}

static int int_at(const struct lg_call *c, int position)
{
  return *(const int *)c->args[position];
}

static long named(const struct lg_call *c, int i)
{
  return c->n > 1 ? c->thr->handles[i] : c->handle;
}

/* is_done tells whether a call has completed a request. If it returned an error, it may have, as when a message was too long. */
static bool is_done(const struct lg_call *c, int i)
{
  struct lg_req *r = c->code ? lg_req_get(LG_KEY_REQUEST, named(c, i)) : NULL;
  long now = lg_request_at(c, i);
  return !c->code || (r && (r->kind == LG_OP_SEND || r->kind == LG_OP_RECV) && (lg_request_null(c, now) || lg_request_is_complete(c, now)));
}

void lg_each_completed(struct lg_call *c, lg_completed f)
{
  const struct lg_desc *d = c->desc;
  int first = 0, n = c->n;
  const int *indices = NULL;
  if (!c->code && d->flag >= 0 && !int_at(c, d->flag))
    return;
  if (d->outcount >= 0) {
    n = int_at(c, d->outcount);
    indices = (const int *)c->args[d->indices];
  } else if (d->index >= 0) {
    first = lg_index(c, int_at(c, d->index));
    n = 1;
  }
  for (int k = 0; k < n && k < c->n; k++) {
    int i = indices ? lg_index(c, indices[k]) : first + k;
    if (i >= 0 && i < c->n && is_done(c, i))
      f(c, named(c, i), i);
  }
}
