/* The events of calls: one before and one after each, in the stream of the
 * thread. An event says what changed since the last call from the same place, so
 * that a loop costs a few bytes a call; a poll that is repeated in vain is only
 * counted. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "operation.h"
#include "usage.h"

#define VERSION 1
#define INLINE 512  /* values of an array within the event; those of longer ones go before it */
#define LAST_BLOCK (64 * sizeof(struct lg_last))

bool lg_usage_on;
static bool usable;        /* MPI may be asked about its objects */
static uint64_t clock_;    /* begins and ends of the process, counted */

void lg_usage_start(void)
{
  lg_usage_on = lg_records("usage");
  if (!lg_usage_on)
    return;
  lg_constants_start();
  lg_types_start();
  lg_sums_start();
  lg_receiving_start();
}

void lg_usage_ready(void)
{
  if (!lg_usage_on)
    return;
  usable = true;
}

bool lg_mpi_usable(void)
{
  return usable && lg_rank->status != LG_FINALIZED;
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

/* ---- room ---- */

int64_t *lg_use_room(struct lg_usage *u, uint32_t n)
{
  if (u->nvalues + n > u->room) {
    uint32_t room = (u->nvalues + n + 4096) * 2;
    int64_t *more = lg_pages(room * sizeof *more);
    if (!more)
      return NULL;
    if (u->values) {
      memcpy(more, u->values, u->nvalues * sizeof *more);
      munmap(u->values, u->room * sizeof *more);
    }
    u->values = more;
    u->room = room;
  }
  u->nvalues += n;
  return u->values + u->nvalues - n;
}

static struct lg_last *last_new(void)
{
  static struct lg_last *free_;
  static uint32_t left;
  lg_lock_file();
  if (!left && (free_ = lg_pages(LAST_BLOCK)) != NULL)
    left = LAST_BLOCK / sizeof *free_;
  struct lg_last *l = left ? (left--, free_++) : NULL;
  lg_unlock_file();
  return l;
}

/* last_of is what the state's last events said, if they are in this block. */
static int64_t *last_of(struct lg_usage *u, struct lg_st *st)
{
  if (unlikely(!st->said) && !(st->said = last_new()))
    return NULL;
  if (st->said->block != u->block) {
    memset(st->said->value, 0, sizeof st->said->value);
    st->said->block = u->block;
    st->said->comm_gen = 0;
  }
  return st->said->value;
}

/* ---- writing ---- */

static unsigned char *put_head(unsigned char *p, enum lg_use kind, uint64_t value)
{
  return lg_put_u(p, value << 3 | (uint64_t)kind);
}

static unsigned char *put_block(struct lg_usage *u, unsigned char *p)
{
  p = put_head(p, LG_USE_BLOCK, VERSION << 1 | (uint64_t)u->numbered);
  p = lg_put_u(p, u->clock);
  return lg_put_u(p, u->calling);
}

/* lg_use_begin begins a block with the counters, so that each can be read alone. */
unsigned char *lg_use_begin(struct lg_usage *u, size_t most)
{
  unsigned char *p = lg_stream_begin(u->stream, most + 32);
  if (unlikely(!p))
    return NULL;
  if (unlikely(u->block != u->stream->block + 1 || u->numbered != lg_shared)) {
    u->block = u->stream->block + 1;
    u->numbered = lg_shared;
    u->poll.begin = u->poll.here = NULL;
    u->poll.again = false;
    p = put_block(u, p);
    lg_stream_end(u->stream, p);
  }
  return p;
}

void lg_use_end(struct lg_usage *u, unsigned char *end)
{
  lg_stream_end(u->stream, end);
}

/* tick numbers an event. While one thread alone calls MPI nobody needs to write
 * the number down. */
static unsigned char *tick(struct lg_usage *u, unsigned char *p)
{
  if (likely(!u->numbered)) {
    u->clock = ++clock_;
    return p;
  }
  uint64_t now = __atomic_add_fetch(&clock_, 1, __ATOMIC_RELAXED);
  p = lg_put_u(p, now - u->clock);
  u->clock = now;
  return p;
}

static unsigned char *put_values(unsigned char *p, const int64_t *v, uint32_t n, uint32_t width)
{
  for (uint32_t i = 0; i < n; i++)
    p = lg_put_s(p, (int64_t)((uint64_t)v[i] - (i < width ? 0 : (uint64_t)v[i - width])));
  return p;
}

size_t lg_array_bytes(const struct lg_array *a)
{
  return 10 + (a->n <= INLINE ? (size_t)a->n * 10 : 0);
}

unsigned char *lg_put_array(unsigned char *p, const int64_t *v, const struct lg_array *a)
{
  if (!a->known)
    return lg_put_u(p, 0);
  p = lg_put_u(p, ((uint64_t)a->n << 1 | a->cut) + 1);
  return a->n <= INLINE ? put_values(p, v, a->n, a->width) : p;
}

void lg_use_parts(struct lg_usage *u, const int64_t *v, const struct lg_array *a)
{
  if (!a->known || a->n <= INLINE)
    return;
  for (uint32_t i = 0; i < a->n; i += INLINE) {
    uint32_t n = a->n - i < INLINE ? a->n - i : INLINE;
    unsigned char *p = lg_use_begin(u, 20 + 10 * INLINE);
    if (!p)
      return;
    p = put_head(p, LG_USE_PART, (uint64_t)n << 3 | a->width);
    lg_use_end(u, put_values(p, v + i, n, a->width));
  }
}

/* arrays_ahead writes what does not fit into the event, and says how much room
 * the rest of it needs. */
static size_t arrays_ahead(struct lg_usage *u)
{
  size_t bytes = 0;
  for (uint32_t i = 0; i < u->v.narrays; i++) {
    const struct lg_array *a = &u->v.array[i];
    lg_use_parts(u, u->values + a->at, a);
    bytes += lg_array_bytes(a);
  }
  return bytes;
}

/* put_body writes the scalars that changed, and the arrays. */
static unsigned char *put_body(unsigned char *p, struct lg_usage *u, int64_t *last)
{
  uint64_t mask = 0;
  uint32_t n = u->v.nscalars;
  const int64_t *v = u->v.scalar;
  for (uint32_t i = 0; i < n; i++)
    mask |= (uint64_t)(v[i] != last[i]) << i;
  p = lg_put_u(p, mask);
  for (; mask; mask &= mask - 1) {
    int i = __builtin_ctzll(mask);
    p = lg_put_s(p, (int64_t)((uint64_t)v[i] - (uint64_t)last[i]));
    last[i] = v[i];
  }
  for (uint32_t i = 0; i < u->v.narrays; i++)
    p = lg_put_array(p, u->values + u->v.array[i].at, &u->v.array[i]);
  return p;
}

#define BODY (40 + 10 * 2 * LG_MAX_PARAMS)

void lg_use_note(struct lg_usage *u, int kind, uint64_t call, uint64_t seen, int64_t value)
{
  unsigned char *p = lg_use_begin(u, 64);
  if (!p)
    return;
  p = put_head(p, LG_USE_DEFINE, LG_DEF_NOTE);
  p = lg_put_u(p, (uint64_t)kind);
  p = lg_put_u(p, call);
  p = lg_put_u(p, seen);
  lg_use_end(u, lg_put_s(p, value));
}

/* ---- before the call ---- */

/* own_results puts memory of ours where the program does not want to know what
 * happened: a status, or in Fortran the error code that may be left out. */
static void own_results(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (c->binding >= LG_BIND_F08) {
    int at = lg_arg_at(c, d->nargs);
    if (at >= 0 && !c->args[at])
      c->args[at] = (long)&c->ierror;
  }
  if (d->status < 0 || c->own_status || !lg_status_ignored(c) || d->params[d->status].dir != 2)
    return;
  const struct lg_param *p = &d->params[d->status];
  bool known = true;
  uint32_t n = p->len ? lg_length(c, &(struct lg_param){.len = 2, .by = (uint8_t)(d->count >= 0 ? d->count : 0)}, &known) : 1;
  if (known && n)
    want_status(c, n);
}

static bool polls(int cls)
{
  switch (cls) {
  case CLS_test: case CLS_testall: case CLS_testany: case CLS_iprobe: case CLS_improbe: case CLS_get_status: case CLS_parrived: case CLS_win_test:
  case CLS_testsome:
    return true;
  default:
    return false;
  }
}

/* note_poll notes the begin of a poll, and whether it says just what that of the
 * call before said, which was in vain. */
static void note_poll(struct lg_usage *u, unsigned char *start, unsigned char *body)
{
  u->poll.here = start;
  u->poll.here_body = body;
  u->poll.clock = u->clock;
  u->poll.again = u->poll.begin && u->poll.end == start && u->poll.body - u->poll.begin == body - start &&
                  memcmp(u->poll.begin, start, (size_t)(body - start)) == 0;
}

/* same_again tells whether the call has the arguments that the last one from its
 * place had. Objects that were unknown then are not looked at again. */
static bool same_again(const struct lg_call *c, const struct lg_usage *u)
{
  const struct lg_last *l = c->st->said;
  if (!l || l->comm_gen != lg_comm_gen || l->type_gen != lg_type_gen || l->block != u->block)
    return false;
  for (int i = 0; i < c->desc->nargs; i++)
    if (l->args[i] != c->args[i])
      return false;
  return true;
}

static void keep_arguments(const struct lg_call *c)
{
  struct lg_last *l = c->st->said;
  l->comm_gen = lg_comm_gen;
  l->type_gen = lg_type_gen;
  memcpy(l->args, c->args, (size_t)c->desc->nargs * sizeof *l->args);
}

/* commit ends the event of a begin that goes from start to p. */
static void commit(struct lg_call *c, struct lg_usage *u, unsigned char *start, unsigned char *p)
{
  u->poll.again = false;
  if (polls(c->desc->cls))
    note_poll(u, start, p);
  lg_use_end(u, tick(u, p));
  c->recorded = true;
  u->begun = u->clock;
  u->calling = c->st->index + 1ul;
}

/* repeat_event writes the begin of a call that is just as before; false: it is
 * not, or a block began. */
static bool repeat_event(struct lg_call *c, struct lg_usage *u)
{
  if (!same_again(c, u))
    return false;
  unsigned char *start = lg_use_begin(u, 40);
  if (!start || c->st->said->block != u->block)
    return false;
  unsigned char *p = put_head(start, LG_USE_BEGIN, c->st->index);
  *p++ = 0;
  commit(c, u, start, p);
  return true;
}

static void begin_event(struct lg_call *c, struct lg_usage *u, bool by_value)
{
  unsigned char *start = lg_use_begin(u, BODY + arrays_ahead(u));
  int64_t *last = start ? last_of(u, c->st) : NULL;
  if (!last)
    return;
  unsigned char *p = put_head(start, LG_USE_BEGIN, c->st->index);
  p = put_body(p, u, last);
  if (by_value)
    keep_arguments(c);
  commit(c, u, start, p);
}

static bool frees_type(const struct lg_desc *d)
{
  return d->nargs == 1 && d->params[0].kind == P_datatype && strcmp(d->name, "MPI_Type_free") == 0;
}

/* define_names comes once, after MPI_Init. */
static void define_names(struct lg_usage *u)
{
  static bool done;
  if (likely(done) || !usable)
    return;
  done = true;
  lg_constants_define(u);
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
  bool by_value = c->desc->by_value && c->binding == LG_BIND_C && usable;
  if (!by_value || !repeat_event(c, u)) {
    lg_values_before(c, u);
    if (frees_type(c->desc))
      u->freed = u->v.scalar[0];
    begin_event(c, u, by_value);
  }
  if (likely(c->recorded))
    lg_sums_before(c, u);
  else
    u->nreceiving = 0;
}

/* lg_usage_again needs a poll that was already counted as repeated: its begin says
 * that nothing changed, and does so again. */
bool lg_usage_again(struct lg_call *c)
{
  struct lg_usage *u = c->thr->usage;
  if (!u || !u->stream || !u->stream->live || u->numbered || !u->poll.begin || !u->poll.count ||
      u->poll.end != u->stream->at)
    return false;
  size_t size = (size_t)(u->poll.body - u->poll.begin);
  unsigned char *start = lg_use_begin(u, size + 40);
  if (!start || start != u->poll.end)
    return false;
  memcpy(start, u->poll.begin, size);
  commit(c, u, start, start + size);
  lg_sums_before(c, u);
  return true;
}

/* ---- after the call ---- */

static int code_of(const struct lg_call *c)
{
  if (c->binding == LG_BIND_C)
    return c->code;
  int at = lg_arg_at(c, c->desc->nargs);
  return at >= 0 && c->args[at] ? *(const int *)c->args[at] : 0;
}

/* simple_end is that of a call whose outputs mean nothing. */
static void simple_end(struct lg_usage *u, enum lg_use kind, uint64_t value)
{
  unsigned char *p = lg_use_begin(u, 40);
  if (!p)
    return;
  p = put_head(p, kind, value);
  if (kind != LG_USE_VAIN) /* nothing changed in what it returned; or nothing is said of it */
    *p++ = 0;
  lg_use_end(u, tick(u, p));
  u->calling = 0;
}

static bool in_vain(const struct lg_call *c)
{
  if (!polls(c->desc->cls))
    return false;
  int what = c->desc->cls == CLS_testsome ? c->desc->outcount : c->desc->flag;
  return *(const int *)c->args[what] == 0;
}

/* vain_end counts a poll that did what the one before did, and forgets its begin;
 * of another one it notes where it is. */
static void vain_end(struct lg_usage *u)
{
  if (!u->poll.again) {
    simple_end(u, LG_USE_VAIN, 0);
    u->poll.begin = u->poll.here;
    u->poll.body = u->poll.here_body;
    u->poll.end = u->stream->at;
    u->poll.count = NULL;
    return;
  }
  uint64_t n = 0;
  unsigned char *p = u->poll.here;
  if (!u->poll.count) {
    p = put_head(p, LG_USE_AGAIN, 0);
    u->poll.count = p;
    p += sizeof n;
    u->poll.end = p;
  } else {
    memcpy(&n, u->poll.count, sizeof n);
  }
  n++;
  memcpy(u->poll.count, &n, sizeof n);
  u->clock = u->poll.clock;
  if (!u->numbered)
    clock_ = u->clock;
  lg_use_end(u, u->poll.end);
  u->calling = 0;
}

static uint64_t zigzag(int64_t v)
{
  return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static void end_event(struct lg_call *c, struct lg_usage *u)
{
  if (!c->desc->results)
    return c->code ? simple_end(u, LG_USE_FAILED, zigzag(c->code)) : simple_end(u, LG_USE_END, 0);
  u->nvalues = 0;
  lg_values_after(c, u);
  unsigned char *p = lg_use_begin(u, BODY + arrays_ahead(u));
  int64_t *last = p ? last_of(u, c->st) : NULL;
  if (!last)
    return;
  p = c->code ? put_head(p, LG_USE_FAILED, zigzag(c->code)) : put_head(p, LG_USE_END, 0);
  if (c->code)
    *p++ = 1;
  p = put_body(p, u, last + LG_MAX_PARAMS);
  lg_use_end(u, tick(u, p));
  u->calling = 0;
}

void lg_usage_ended(struct lg_call *c)
{
  c->code = code_of(c);
  if (!c->code)
    lg_sums_ended(c, c->thr->usage);
}

static void after(struct lg_call *c, struct lg_usage *u)
{
  if (u->freed >= 0 && !c->code)
    lg_type_gone(u->freed);
  if (c->code && (c->code & lg_fam.class_mask) != lg_fam.err_in_status)
    return simple_end(u, LG_USE_FAILED, zigzag(c->code));
  if (in_vain(c))
    return vain_end(u);
  end_event(c, u);
  if (c->code)
    return;
  lg_sums_after(c, u);
  lg_receiving_begun(c, u);
}

void lg_usage_after(struct lg_call *c)
{
  struct lg_usage *u = c->thr->usage;
  after(c, u);
  lg_receiving_after(u);
}
