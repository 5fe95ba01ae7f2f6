#define _GNU_SOURCE
#include "base/leb.h"
#include "base/pages.h"
#include "base/settings.h"
#include "file/rank.h"
#include "file/stream.h"
#include "identity/scratch.h"
#include "identity/thread.h"
#include "mpi/address.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "usage/checksum.h"
#include "usage/constants.h"
#include "usage/contents.h"
#include "usage/datatype.h"
#include "usage/event.h"
#include "usage/last.h"
#include "usage/length.h"
#include "usage/live.h"
#include "usage/race.h"
#include "usage/receiving.h"
#include "usage/repeat.h"
#include "usage/usage.h"
#include "usage/value.h"

#define NOTE_NOWHERE 3 /* recorded.NoPlace */

bool lg_usage_on;

void lg_usage_start(void)
{
  lg_usage_on = lg_records("usage");
  if (!lg_usage_on)
    return;
  lg_constants_start();
  lg_contents_start();
  lg_sums_start();
  lg_receiving_start();
  lg_race_start();
}

static struct lg_usage *usage_of(struct lg_thr *t)
{
  if (likely(t->usage != NULL))
    return t->usage;
  struct lg_usage *u = lg_pages(sizeof *u);
  if (!u)
    return NULL;
  u->stream = lg_stream_open(LG_STREAM_USAGE, t->pub->index);
  return t->usage = u;
}

/* ---- before the call ---- */

/* own_results gives MPI the recorder's memory for results that the program ignores:
 * a status, or in Fortran the error code that may be left out. */
static void own_results(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (c->binding >= LG_BIND_F08) {
    int at = lg_arg_at(c, d->nargs);
    if (at >= 0 && !c->args[at])
      c->args[at] = (long)&c->ierror;
  }
  if (d->status < 0 || c->own_status || !lg_status_ignored(c) || d->params[d->status].dir != LG_OUT)
    return;
  const struct lg_param *p = &d->params[d->status];
  bool known = true;
  uint32_t n = p->len ? lg_length(c, &(struct lg_param){.len = LG_BY_PARAM, .by = (uint8_t)(d->count >= 0 ? d->count : 0)}, &known) : 1;
  if (known && n)
    lg_want_status(c, n);
}

/* commit ends the event of a begin that goes from start to p. */
static void commit(struct lg_call *c, struct lg_usage *u, unsigned char *start, unsigned char *p)
{
  u->poll.again = false;
  if (lg_polls(c->desc->cls))
    lg_repeat_note(u, start, p);
  lg_event_end(u, lg_event_number(u, p));
  c->recorded = true;
  u->begun = u->clock;
  u->calling = c->st->index + 1ul;
}

/* repeat_event writes the begin of a call that is just as before; false: it is
 * not, or a block began. */
static bool repeat_event(struct lg_call *c, struct lg_usage *u)
{
  if (!lg_last_same(c, u))
    return false;
  uint64_t block = u->block;
  unsigned char *start = lg_event_begin(u, LG_NUMBERS(4));
  if (!start || u->block != block)
    return false;
  unsigned char *p = lg_event_head(start, LG_USE_BEGIN, c->st->index);
  *p++ = 0;
  commit(c, u, start, p);
  return true;
}

static void begin_event(struct lg_call *c, struct lg_usage *u, bool by_value)
{
  unsigned char *start = lg_event_begin(u, LG_EVENT_BODY + lg_arrays_ahead(u));
  int64_t *last = start ? lg_last_of(u, c->st) : NULL;
  if (!last)
    return;
  unsigned char *p = lg_event_head(start, LG_USE_BEGIN, c->st->index);
  p = lg_event_body(p, u, last);
  if (by_value)
    lg_last_keep(c);
  commit(c, u, start, p);
}

/* note_nowhere: a null pointer for a result is not among the values before the call,
 * and there may be nothing after it. */
static void note_nowhere(const struct lg_call *c, struct lg_usage *u)
{
  int i = c->recorded ? lg_result_nowhere(c) : -1;
  if (unlikely(i >= 0))
    lg_event_note(u, NOTE_NOWHERE, u->begun, u->begun, i);
}

/* define_names comes once, after MPI_Init. */
static void define_names(struct lg_usage *u)
{
  static bool done;
  if (likely(done) || !lg_mpi_ready)
    return;
  done = true;
  lg_constants_define(u);
}

/* before_recorded: the begin of the call is written. */
static void before_recorded(struct lg_call *c, struct lg_usage *u)
{
  lg_sums_before(c, u);
  if (unlikely(lg_race_on))
    lg_race_before(c, u);
}

void lg_usage_before(struct lg_call *c)
{
  struct lg_usage *u = usage_of(c->thr);
  if (unlikely(!u || !u->stream || !u->stream->live))
    return;
  define_names(u);
  own_results(c);
  u->nvalues = u->ngiven = u->made = 0;
  u->freed = -1;
  bool by_value = c->desc->by_value && c->binding == LG_BIND_C && lg_mpi_ready;
  if (!by_value || !repeat_event(c, u)) {
    lg_values_before(c, u);
    if (c->desc->cls == CLS_type_free)
      u->freed = u->v.scalar[0];
    begin_event(c, u, by_value);
    note_nowhere(c, u);
  }
  if (likely(c->recorded))
    before_recorded(c, u);
  else
    u->nreceiving = 0;
}

bool lg_usage_again(struct lg_call *c)
{
  struct lg_usage *u = c->thr->usage;
  if (!u || !u->stream || !u->stream->live)
    return false;
  unsigned char *end, *start = lg_repeat_begin(u, &end);
  if (!start)
    return false;
  commit(c, u, start, end);
  before_recorded(c, u);
  return true;
}

/* ---- after the call ---- */

static void end_event(struct lg_call *c, struct lg_usage *u)
{
  if (!c->desc->results)
    return c->code ? lg_event_plain(u, LG_USE_FAILED, lg_zigzag(c->code)) : lg_event_plain(u, LG_USE_END, 0);
  u->nvalues = 0;
  lg_values_after(c, u);
  unsigned char *p = lg_event_begin(u, LG_EVENT_BODY + lg_arrays_ahead(u));
  int64_t *last = p ? lg_last_of(u, c->st) : NULL;
  if (!last)
    return;
  p = c->code ? lg_event_head(p, LG_USE_FAILED, lg_zigzag(c->code)) : lg_event_head(p, LG_USE_END, 0);
  if (c->code)
    *p++ = 1;
  p = lg_event_body(p, u, last + LG_MAX_PARAMS);
  lg_event_end(u, lg_event_number(u, p));
  u->calling = 0;
}

void lg_usage_ended(struct lg_call *c)
{
  if (!c->code)
    lg_sums_ended(c, c->thr->usage);
}

static void accessed(const struct lg_call *c, struct lg_usage *u)
{
  uint64_t operation = lg_race_access(c, u);
  struct lg_live *l = operation ? lg_live_new(u) : NULL;
  if (l)
    l->operation = operation;
}

/* forget_ended: a completion that returns an error may have ended requests. */
static void forget_ended(const struct lg_call *c, struct lg_usage *u)
{
  for (uint32_t k = 0; k < u->ngiven; k++)
    lg_live_still(u, k, lg_request_null(c, lg_handle_at(c, c->desc->request, (int)k)));
}

static void after(struct lg_call *c, struct lg_usage *u)
{
  if (u->freed >= 0 && !c->code)
    lg_type_gone(u->freed);
  if (unlikely(lg_refused(c))) {
    forget_ended(c, u);
    return lg_event_plain(u, LG_USE_FAILED, lg_zigzag(c->code));
  }
  if (lg_unsuccessful(c))
    return lg_repeat_end(u);
  end_event(c, u);
  if (c->code)
    return;
  lg_sums_after(c, u);
  lg_receiving_begun(c, u);
  if (unlikely(lg_race_on))
    accessed(c, u);
}

void lg_usage_after(struct lg_call *c)
{
  struct lg_usage *u = c->thr->usage;
  after(c, u);
  lg_receiving_after(u);
}

/* ---- a call within another ---- */

/* What the outer call keeps for its end is not disturbed: one that completes requests or
 * sends is left alone. */
bool lg_usage_before_within(struct lg_call *c)
{
  struct lg_usage *u = c->thr->usage;
  if (!u || !u->stream || !u->stream->live || !u->calling || u->ngiven || u->sending.type)
    return false;
  c->outer.calling = u->calling;
  c->outer.begun = u->begun;
  c->outer.freed = u->freed;
  unsigned char *p = lg_event_begin(u, LG_NUMBERS(1));
  if (!p)
    return false;
  lg_event_end(u, lg_event_head(p, LG_USE_DEFINE, LG_DEF_WITHIN));
  lg_usage_before(c);
  return c->recorded;
}

void lg_usage_after_within(struct lg_call *c)
{
  struct lg_usage *u = c->thr->usage;
  lg_usage_ended(c);
  lg_usage_after(c);
  u->calling = c->outer.calling;
  u->begun = c->outer.begun;
  u->freed = c->outer.freed;
  u->ngiven = u->made = 0;
  u->sending.type = NULL;
}
