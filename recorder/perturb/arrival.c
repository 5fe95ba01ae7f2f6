#include <stdlib.h>
#include <string.h>
#include "base/locks.h"
#include "base/peek.h"
#include "format.h"
#include "identity/request.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "perturb/around.h"
#include "perturb/arrival.h"
#include "perturb/choose.h"
#include "perturb/layout.h"

#define STALE 1                  /* value of a choice: until the message is there, the buffer is as it was */
#define MOST 1024                /* receives at a time */
#define MOST_BYTES (64ul << 20)  /* of their private buffers together */

struct arrival { /* a receive into a private buffer */
  long handle;
  struct lg_layout layout;
  char *own;    /* the private buffer: what the program's had, and what has come */
  bool persistent, active, stale;
};

static struct arrival receives[MOST];
static int nreceives;
static size_t taken; /* bytes of private buffers */

bool lg_any_arrival(void)
{
  return nreceives > 0;
}

static void drop(struct arrival *r)
{
  taken -= r->layout.bytes;
  if (!r->active) /* of a request that was freed, MPI may still write into it */
    free(r->own);
  lg_layout_drop(&r->layout);
  *r = receives[--nreceives];
}

static struct arrival *find(long handle)
{
  for (int i = nreceives - 1; i >= 0; i--)
    if (receives[i].handle == handle)
      return &receives[i];
  return NULL;
}

/* hide keeps what the program's buffer has, and puts a pattern there: where the old data are nearly the new ones, only the pattern
 * shows; where the largest or smallest number is taken, only the old data. */
static void hide(struct arrival *r)
{
  memcpy(r->own, r->layout.at, r->layout.bytes);
  if (!r->stale)
    lg_layout_fill(&r->layout);
  r->active = true;
}

/* leave_to gives a buffer that is received into, too, its place behind another one: MPI forbids that, but programs give
 * the most that may come as the count, and rely on messages that are shorter. */
static bool leave_to(const struct lg_layout *l)
{
  bool apart = true;
  for (int i = 0; i < nreceives; i++) {
    struct arrival *r = &receives[i];
    if (!r->active || l->at >= r->layout.at + r->layout.bytes || r->layout.at >= l->at + l->bytes)
      continue;
    apart = false;
    if (r->layout.dense && l->at > r->layout.at) {
      size_t left = (size_t)(l->at - r->layout.at);
      memcpy(r->layout.at + left, r->own + left, r->layout.bytes - left);
      taken -= r->layout.bytes - left;
      r->layout.bytes = left;
    }
  }
  return apart;
}

/* begun notes the request that the program was given. */
static void begun(struct lg_call *c)
{
  struct arrival *r = &receives[nreceives - 1];
  if (!c->code) {
    r->handle = lg_handle_at(c, c->desc->request, 0);
    return;
  }
  if (r->active)
    memcpy(r->layout.at, r->own, r->layout.bytes);
  r->active = false;
  drop(r);
}

/* comes_from_somebody: MPI_PROC_NULL sends nothing, and several receives from it may have the same request. */
static bool comes_from_somebody(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  return d->peer < 0 ? lg_req_get(LG_KEY_MESSAGE, lg_handle_at(c, d->message, 0)) != NULL : lg_peer(lg_int(c, d->peer)) != LG_PROC_NULL;
}

/* "The receiver should not access any part of the receive buffer after a nonblocking
 * receive operation is called, until the receive completes" (MPI-4.0 §3.7.2). MPI writes
 * only the locations of the message, which may be shorter (§3.2.4): the rest is put back when
 * it completes. Memory that the process cannot read, such as a device's, stays as it is. */
void lg_choose_arrival(struct lg_call *c)
{
  struct arrival r = {.persistent = c->desc->cls == CLS_recv_init};
  uint64_t value = 0;
  lg_lock_tables();
  bool open = c->binding != LG_BIND_F08TS && nreceives < MOST && lg_alone() && comes_from_somebody(c) && lg_layout_of(c, &r.layout);
  if (open && (!leave_to(&r.layout) || taken + r.layout.bytes > MOST_BYTES || !(r.own = malloc(r.layout.bytes)) ||
               lg_peek((uint64_t)r.layout.at, r.own, r.layout.bytes) < r.layout.bytes || !lg_choose(c, CHOICE_buffer, &value))) {
    free(r.own);
    lg_layout_drop(&r.layout);
    open = false;
  }
  if (open) {
    taken += r.layout.bytes;
    r.stale = value == STALE;
    receives[nreceives] = r;
    if (!r.persistent)
      hide(&receives[nreceives]);
    nreceives++;
    lg_put_around(c, begun, c->desc->recv_buf, (long)r.own - r.layout.first);
  }
  lg_unlock_tables();
}

void lg_arrival_again(long handle)
{
  struct arrival *r = find(handle);
  if (r && !r->active)
    hide(r);
}

void lg_arrival_freed(long handle)
{
  struct arrival *r = find(handle);
  if (r)
    drop(r);
}

void lg_arrived(long handle)
{
  struct arrival *r = find(handle);
  if (!r || !r->active)
    return;
  lg_layout_copy(&r->layout, r->own);
  r->active = false;
  if (!r->persistent)
    drop(r);
}
