#include "usage/communicator.h"
#include "usage/event.h"

int64_t lg_comm_use(struct lg_usage *u, struct lg_comm_ref *r)
{
  static uint32_t used;
  if (likely(r->use))
    return r->use - 1;
  r->use = ++used;
  unsigned char *p = lg_event_begin(u, LG_NUMBERS(9));
  if (!p)
    return r->use - 1;
  p = lg_event_head(p, LG_USE_DEFINE, LG_DEF_COMM);
  p = lg_put_u(p, r->use - 1);
  p = lg_put_u(p, r->index);
  p = lg_put_u(p, r->id);
  p = lg_put_u(p, r->live->parent);
  p = lg_put_u(p, r->live->by_thread);
  p = lg_put_u(p, (uint64_t)r->live->state + 1);
  lg_event_end(u, p);
  return r->use - 1;
}
