#include "base/locks.h"
#include "identity/scratch.h"
#include "identity/thread.h"
#include "mpi/address.h"
#include "mpi/family.h"
#include "mpi/status.h"
#include "perturb/around.h"
#include "perturb/forward.h"

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

void lg_each_completed(struct lg_call *c, void (*f)(struct lg_call *, long handle, int i))
{
  const struct lg_desc *d = c->desc;
  int first = 0, n = 0;
  const int *indices = NULL;
  if (lg_refused(c) || (d->flag >= 0 && !int_at(c, d->flag)))
    return;
  switch (d->cls) {
  case CLS_wait: case CLS_waitall: case CLS_test: case CLS_testall: case CLS_get_status:
    n = c->n;
    break;
  case CLS_waitany: case CLS_testany:
    first = lg_index(c, int_at(c, d->index));
    n = 1;
    break;
  case CLS_waitsome: case CLS_testsome:
    n = int_at(c, d->outcount);
    indices = (const int *)c->args[d->indices];
    break;
  }
  for (int k = 0; k < n && k < c->n; k++) {
    int i = indices ? lg_index(c, indices[k]) : first + k;
    if (i >= 0 && i < c->n)
      f(c, c->n > 1 ? c->thr->handles[i] : c->handle, i);
  }
}
