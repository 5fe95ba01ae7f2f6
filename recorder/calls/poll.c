#include <string.h>
#include "base/locks.h"
#include "calls/operation.h"
#include "calls/poll.h"
#include "calls/wait.h"
#include "mpi/family.h"
#include "usage/usage.h"

static bool same_thing(const struct lg_pending *a, const struct lg_pending *b)
{
  return a->kind == b->kind && a->comm == b->comm && a->peer == b->peer && a->tag == b->tag && a->seq == b->seq;
}

/* dedupe removes, from the entries behind `old`, those that stand before it. */
static uint32_t dedupe(struct lg_pending *p, uint32_t old, uint32_t n)
{
  uint32_t out = old;
  for (uint32_t i = old; i < n; i++) {
    uint32_t k = 0;
    while (k < old && !same_thing(&p[k], &p[i]))
      k++;
    if (k == old)
      p[out++] = p[i];
  }
  return out;
}

/* A program that waits by polling makes the same call a million times. When a poll
 * repeats the unsuccessful one before it, its requests are not looked up again and
 * not listed again: no other call came between, so nothing known of them changed.
 * Only for C, where the arguments are values, and while a single thread calls MPI. */
static void note_given(const struct lg_call *c)
{
  if (c->binding == LG_BIND_C && c->desc->nargs <= LG_POLL_ARGS)
    memcpy(c->thr->empty.given, c->args, (size_t)c->desc->nargs * sizeof *c->args);
}

static bool polls_array(const struct lg_desc *d)
{
  return d->cls == CLS_test || d->cls == CLS_testall || d->cls == CLS_testany || d->cls == CLS_testsome;
}

/* same_requests tells whether the program's array still has the handles that were kept of n. */
static bool same_requests(const struct lg_call *c, const long *kept, int n)
{
  const void *array = (const void *)c->args[c->desc->request];
  if (lg_fam.handle_bytes == 8)
    return memcmp(kept, array, (size_t)n * sizeof *kept) == 0;
  const int *handles = array;
  int i = 0;
  while (i < n && handles[i] == kept[i])
    i++;
  return i == n;
}

static const long *kept(const struct lg_call *c)
{
  return c->n > 1 ? c->thr->handles : &c->handle;
}

static void note_empty(struct lg_call *c)
{
  struct lg_empty_poll *v = &c->thr->empty;
  const struct lg_desc *d = c->desc;
  if (v->st || c->binding != LG_BIND_C || d->nargs > LG_POLL_ARGS)
    return;
  v->requests = polls_array(d) ? lg_request_count(c) : 0;
  if (v->requests && (c->n != v->requests || !same_requests(c, kept(c), c->n))) /* too many, or a callback's call was for others */
    return;
  memcpy(v->args, c->args, (size_t)d->nargs * sizeof *c->args);
  v->call = *c;
  v->st = c->st;
}

static bool same_poll(const struct lg_call *c, const struct lg_empty_poll *v)
{
  return v->st == c->st && !lg_shared && memcmp(v->given, c->args, (size_t)c->desc->nargs * sizeof *c->args) == 0 &&
         (!v->requests || same_requests(c, kept(&v->call), v->requests));
}

bool lg_poll_again(struct lg_call *c)
{
  struct lg_empty_poll *v = &c->thr->empty;
  struct lg_thread *p = c->thr->pub;
  long *args = c->args;
  if (!same_poll(c, v) || (lg_usage_on && !lg_usage_again(c)))
    return false;
  *c = v->call;
  c->args = memcpy(args, v->args, (size_t)c->desc->nargs * sizeof *args);
  c->recorded = lg_usage_on;
  lg_op_begin(c);
  p->in_mpi = 1;
  p->calls++;
  lg_seq_end(&p->seq);
  return true;
}

/* A program that polls several things in turn waits for any of them: what has
 * been polled since the last progress is one list. */
void lg_before_poll(struct lg_call *c, uint32_t (*list)(struct lg_call *, uint32_t))
{
  struct lg_thr *t = c->thr;
  struct lg_thread *p = t->pub;
  bool going_on = lg_op_polling(t) && p->kind == LG_OP_POLL && p->nlisted < LG_MAX_PENDING;
  uint32_t old = going_on ? p->nlisted : 0;
  note_given(c);
  lg_op_begin(c);
  uint32_t n = list(c, old);
  if (n <= LG_MAX_PENDING)
    n = dedupe(p->pending, old, n);
  lg_op_publish(c, n ? LG_OP_POLL : LG_OP_LOCAL, n);
  t->poll_mark = p->progress + 1;
  lg_seq_end(&p->seq);
}

void lg_polled(struct lg_call *c, bool got)
{
  if (got) {
    c->thr->pub->progress++;
    c->thr->empty.st = NULL;
  } else {
    c->thr->pub->polls++;
    note_empty(c);
  }
}
