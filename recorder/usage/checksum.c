#include "base/hash.h"
#include "base/settings.h"
#include "format.h"
#include "identity/scratch.h"
#include "mpi/address.h"
#include "usage/argument.h"
#include "usage/checksum.h"
#include "usage/datatype.h"
#include "usage/event.h"
#include "usage/live.h"
#include "base/reading.h"
#include "usage/race.h"
#include "usage/receiving.h"
#include "usage/sum.h"
#include "usage/typemap.h"
#include "volume/bytes.h"

#define NOTE_CHANGED 1 /* usage.SendBufferChanged */

static bool on;

void lg_sums_start(void)
{
  on = lg_env_int("CHECKSUMS", 1) != 0;
}

static uint64_t sum_of(const char *buf, int64_t count, const struct lg_dtype *t)
{
  uint64_t h = LG_SUM_START;
  if (t->nsegments == 1 && t->segments[0].size == t->extent)
    return lg_sum(h, buf + t->segments[0].at, (size_t)(count * t->extent));
  for (int64_t i = 0; i < count; i++, buf += t->extent)
    for (int64_t k = 0; k < t->nsegments; k++)
      h = lg_sum(h, buf + t->segments[k].at, (size_t)t->segments[k].size);
  return h;
}

static void sum_now(void *arg)
{
  struct lg_sending *s = arg;
  s->now = sum_of(s->buf, s->count, s->type);
}

/* ---- what is sent ---- */

static bool persistent(int cls)
{
  return cls == CLS_send_init || cls == CLS_bsend_init || cls == CLS_coll_init;
}

/* sends_on tells whether a call begins to send what it has not sent when it
 * returns. Partitions are the program's until it says that they are ready, and
 * what is replaced is written by MPI. */
static bool sends_on(const struct lg_desc *d)
{
  if (!(d->traits & TRAIT_sends) || d->partitions >= 0)
    return false;
  switch (d->cls) {
  case CLS_isend: case CLS_ibsend: case CLS_icoll:
    return true;
  case CLS_isendrecv:
    return d->send_buf != d->recv_buf;
  default:
    return persistent(d->cls);
  }
}

/* describe says what the call sends; false: nothing, or nothing that can be
 * looked after. */
static bool describe(const struct lg_call *c, struct lg_usage *u, struct lg_sending *out)
{
  const struct lg_desc *d = c->desc;
  if (!c->comm)
    return false;
  int64_t address = lg_arg_address(c, d->send_buf);
  out->count = address == LG_USE_IN_PLACE ? 0 : (int64_t)lg_send_count(c);
  if (!out->count)
    return false;
  out->type = lg_type_at(lg_type_index(u, lg_arg(c, d->send_type, 0), c->binding != LG_BIND_C));
  out->buf = address == LG_USE_BOTTOM ? NULL : (const void *)address;
  out->begun = 0;
  return out->type && lg_type_map(out->type) && out->type->nsegments > 0;
}

static void start(const struct lg_usage *u, struct lg_sending *s)
{
  s->begun = lg_reading(sum_now, s) ? u->begun : 0;
  s->sum = s->now;
}

void lg_sums_before(struct lg_call *c, struct lg_usage *u)
{
  u->sending.type = NULL;
  if (!on)
    return;
  lg_receiving_before(u);
  int cls = c->desc->cls;
  if (cls == CLS_start || cls == CLS_startall) {
    for (uint32_t k = 0; k < u->ngiven; k++) {
      struct lg_live *l = lg_live_of(u, k);
      if (l && l->sending.type)
        start(u, &l->sending);
    }
    return;
  }
  if (likely(!sends_on(c->desc)))
    return;
  if (!describe(c, u, &u->sending))
    u->sending.type = NULL;
  else if (!persistent(cls))
    start(u, &u->sending);
}

void lg_sums_after(struct lg_call *c, struct lg_usage *u)
{
  struct lg_live *l = u->sending.type ? lg_live_new(u) : NULL;
  if (!l || (!u->sending.begun && !persistent(c->desc->cls)))
    return;
  l->sending = u->sending;
  lg_type_hold(l->sending.type);
}

/* ---- completion ---- */

static void finished(struct lg_usage *u, uint32_t k)
{
  struct lg_live *l = lg_live_of(u, k);
  if (!l)
    return;
  if (unlikely(l->operation))
    lg_race_ended(l->operation);
  lg_received(u, l);
  struct lg_sending *s = &l->sending;
  if (!s->type || !s->begun)
    return;
  if (lg_reading(sum_now, s) && s->now != s->sum)
    lg_event_note(u, NOTE_CHANGED, s->begun, u->begun, s->count);
  s->begun = 0;
}

static void finished_some(struct lg_call *c, struct lg_usage *u)
{
  int n = *(const int *)c->args[c->desc->outcount];
  for (int k = 0; k < n; k++) {
    int i = lg_index(c, ((const int *)c->args[c->desc->indices])[k]);
    if (i >= 0)
      finished(u, (uint32_t)i);
  }
}

static void finished_one(const struct lg_call *c, struct lg_usage *u)
{
  int i = lg_index(c, *(const int *)c->args[c->desc->index]);
  if (i >= 0)
    finished(u, (uint32_t)i);
}

static bool flagged(const struct lg_call *c)
{
  return *(const int *)c->args[c->desc->flag] != 0;
}

void lg_sums_ended(struct lg_call *c, struct lg_usage *u)
{
  if (!on || !u->ngiven)
    return;
  switch (c->desc->cls) {
  case CLS_get_status: /* the request stays, but what is complete is the program's again */
    if (c->desc->outcount >= 0)
      return finished_some(c, u);
    if (!flagged(c))
      return;
    if (c->desc->index < 0)
      break;
    return finished_one(c, u);
  case CLS_testall: case CLS_test:
    if (!flagged(c))
      return;
    break;
  case CLS_wait: case CLS_waitall:
    break;
  case CLS_cancel:
    return lg_receiving_given_up(u);
  case CLS_testany:
    if (!flagged(c))
      return; /* fallthrough */
  case CLS_waitany:
    return finished_one(c, u);
  case CLS_waitsome: case CLS_testsome:
    return finished_some(c, u);
  default:
    return;
  }
  for (uint32_t k = 0; k < u->ngiven; k++)
    finished(u, k);
}
