#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "base/locks.h"
#include "base/settings.h"
#include "format.h"
#include "identity/comm.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "usage/argument.h"
#include "usage/datatype.h"
#include "usage/event.h"
#include "base/reading.h"
#include "usage/receiving.h"
#include "usage/race.h"
#include "usage/typemap.h"

#define NOTE_CHANGED 2 /* usage.ReceiveBufferChanged */

#define CALLS 8    /* that a receive is looked after from its begin on */
#define LARGE 4096 /* what is longer may be written by the sender's process */

static bool on, alone; /* alone: nobody writes a buffer but the calls of this thread and the program */

static bool has_entries(const char *directory)
{
  DIR *d = opendir(directory);
  int n = 0;
  while (d && n < 3 && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n > 2; /* more than . and .. */
}

void lg_receiving_start(void)
{
  static const char *const adapters[] = {"/sys/class/infiniband", "/sys/class/cxi", "/sys/class/cxi_user", "/sys/class/bxi", "/sys/class/hfi1"};
  static const char *const threads[] = {"MPICH_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS", "I_MPI_ASYNC_PROGRESS", "OMPI_MCA_btl_tcp_progress_thread"};
  on = lg_env_int("CHECKSUMS", 1) != 0;
  if (!on)
    return;
  alone = true;
  for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
    alone = alone && !has_entries(adapters[i]);
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
    alone = alone && !getenv(threads[i]);
}

/* ---- what is received ---- */

static bool one_to_one(int cls)
{
  return cls == CLS_irecv || cls == CLS_recv_init || cls == CLS_imrecv || cls == CLS_isendrecv;
}

/* takes tells whether a message will come: a program may well put a boundary's
 * values where MPI_PROC_NULL leaves them alone. */
static bool takes(const struct lg_call *c)
{
  int source = c->desc->peer2 >= 0 ? c->desc->peer2 : c->desc->peer;
  return source < 0 || lg_int(c, source) != lg_fam.proc_null;
}

/* collects tells whether this rank receives in a collective that goes on, or that
 * is only made. Nobody sends to the first in an exclusive scan. */
static bool collects(const struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if ((d->cls != CLS_icoll && d->cls != CLS_coll_init) || !alone || !c->comm || c->comm->flags & LG_COMM_INTER)
    return false;
  bool root = d->peer >= 0 && lg_int(c, d->peer) == c->comm->rank;
  if (d->traits & TRAIT_to_root)
    return root;
  if (d->traits & TRAIT_from_root)
    return !root;
  return (d->traits & TRAIT_sends) && !(d->traits & TRAIT_neighbours) && !(c->comm->rank == 0 && d->traits & TRAIT_exclusive);
}

/* describe says where the first bytes go that the call receives, if they have one
 * count and type. */
static void describe(const struct lg_call *c, struct lg_usage *u, struct lg_live *l)
{
  const struct lg_desc *d = c->desc;
  if (one_to_one(d->cls) ? !takes(c) : !collects(c))
    return;
  bool only = d->recv_buf < 0; /* MPI_Ibcast has one buffer for both */
  int buf = only ? d->send_buf : d->recv_buf, n = only ? d->send_count : d->recv_count, type = only ? d->send_type : d->recv_type;
  if (buf < 0 || n < 0 || type < 0)
    return;
  int64_t count = (int64_t)lg_count_of(c, n), address = lg_arg_address(c, buf);
  struct lg_dtype *t = lg_type_at(lg_type_index(u, lg_arg(c, type, 0), c->binding != LG_BIND_C));
  if (!count || address == LG_USE_IN_PLACE || !t || !lg_type_map(t) || !t->nsegments)
    return;
  if (unlikely(lg_race_on) && d->partitions < 0) { /* those that have arrived are the program's */
    l->receiving = (struct lg_span){t, address == LG_USE_BOTTOM ? NULL : (const void *)address, count};
    lg_type_hold(t);
  }
  bool gaps = t->nsegments > 1 || t->segments[0].size != t->extent;
  int64_t size = gaps ? t->segments[0].size : count * t->extent;
  l->into_large = count * t->size > LARGE;
  if (l->into_large && !one_to_one(d->cls))
    return; /* written by several in turn */
  l->into = (const char *)(address == LG_USE_BOTTOM ? 0 : address) + t->segments[0].at;
  l->into_size = (uint32_t)(size < LG_FIRST_BYTES ? size : LG_FIRST_BYTES);
}

/* ---- between the calls ---- */

static void compare(void *arg)
{
  struct lg_usage *u = arg;
  for (uint32_t k = 0; k < u->nreceiving; k++) {
    struct lg_live *l = lg_live_at(u->receiving[k].live);
    if (!l->into_begun || l->changed || memcmp(l->into, l->first, l->into_size) == 0)
      continue;
    memcpy(l->first, l->into, l->into_size);
    l->changed = u->begun;
  }
}

static void copy(void *arg)
{
  struct lg_usage *u = arg;
  for (uint32_t k = 0; k < u->nreceiving; k++) {
    struct lg_live *l = lg_live_at(u->receiving[k].live);
    memcpy(l->first, l->into, l->into_size);
  }
}

void lg_receiving_before(struct lg_usage *u)
{
  if (likely(!u->nreceiving))
    return;
  if (lg_shared || !lg_reading(compare, u))
    u->nreceiving = 0;
}

static void watch(struct lg_usage *u, uint32_t n)
{
  struct lg_live *l = lg_live_at(n);
  uint32_t k = 0;
  if (!l->into || lg_shared)
    return;
  l->into_begun = u->begun;
  l->changed = 0;
  while (k < u->nreceiving && u->receiving[k].live != n)
    k++;
  if (k == LG_MOST_RECEIVING) { /* the oldest is left alone from now on */
    k--;
    memmove(u->receiving, u->receiving + 1, k * sizeof *u->receiving);
  } else if (k == u->nreceiving) {
    u->nreceiving++;
  }
  u->receiving[k].live = n;
  u->receiving[k].calls = CALLS;
}

/* look_after tells the sanitizer, if there is one; of a persistent request the operation before may have ended unseen. */
static void look_after(struct lg_usage *u, struct lg_live *l)
{
  if (likely(!lg_race_on))
    return;
  struct lg_span sent = {l->sending.type, l->sending.buf, l->sending.count};
  lg_race_ended(l->operation);
  l->operation = lg_race_begun(u, &sent, &l->receiving);
}

void lg_receiving_begun(const struct lg_call *c, struct lg_usage *u)
{
  int cls = c->desc->cls;
  if (!on)
    return;
  if (cls == CLS_start || cls == CLS_startall) {
    for (uint32_t k = 0; k < u->ngiven; k++)
      if (u->given[k]) {
        watch(u, u->given[k]);
        look_after(u, lg_live_at(u->given[k]));
      }
    return;
  }
  struct lg_live *l = lg_live_new(u);
  if (!l)
    return;
  describe(c, u, l);
  if (cls == CLS_recv_init || cls == CLS_send_init || cls == CLS_bsend_init || cls == CLS_coll_init)
    return;
  watch(u, u->made);
  look_after(u, l);
}

void lg_receiving_after(struct lg_usage *u)
{
  uint32_t left = 0;
  if (likely(!u->nreceiving))
    return;
  for (uint32_t k = 0; k < u->nreceiving; k++) {
    const struct lg_live *l = lg_live_at(u->receiving[k].live);
    if (l->into_begun && !l->changed && u->receiving[k].calls--)
      u->receiving[left++] = u->receiving[k];
  }
  u->nreceiving = left;
  if (left && !lg_reading(copy, u))
    u->nreceiving = 0;
}

void lg_receiving_given_up(struct lg_usage *u)
{
  for (uint32_t k = 0; k < u->ngiven; k++)
    if (u->given[k])
      lg_live_at(u->given[k])->into_begun = 0;
}

static void overwritten(void *arg)
{
  struct lg_live *l = arg;
  l->over = memcmp(l->into, l->first, l->into_size) != 0;
}

void lg_received(struct lg_usage *u, struct lg_live *l)
{
  if (likely(!l->into_begun))
    return;
  if (unlikely(l->changed && ((alone && !l->into_large) || (lg_reading(overwritten, l) && l->over))))
    lg_event_note(u, NOTE_CHANGED, l->into_begun, l->changed, 0);
  l->into_begun = 0;
}
