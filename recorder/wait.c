/* Requests from the call that begins them to the one that completes them, and
 * polls: tests and probes that do not block. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "movement/message.h"
#include "usage/usage.h"

#define MAX_LIST (1u << 20) /* requests of one call that are followed */

struct lg_req *remember(struct lg_call *c, uint32_t kind)
{
  struct lg_req *r = lg_req_put(LG_KEY_REQUEST, lg_handle_at(c, c->desc->request, 0));
  if (!r)
    return NULL;
  r->kind = kind;
  r->peer = LG_NONE;
  r->tag = LG_NONE;
  r->comm = c->comm ? c->comm->index : UINT32_MAX;
  r->ref = c->comm;
  r->state = c->st->index;
  r->thread = c->thr->pub->index;
  return r;
}

/* States are numbered in each thread: that of the call which began a request says
 * nothing in another one. */
static uint32_t state_in(const struct lg_thread *p, const struct lg_req *r)
{
  return r->thread == p->index ? r->state : UINT32_MAX;
}

void after_begun(struct lg_call *c, uint32_t kind)
{
  if (!c->comm || c->peer == LG_PROC_NULL)
    return;
  struct lg_req *r = remember(c, kind);
  if (!r)
    return;
  r->peer = c->peer;
  r->tag = c->tag;
  r->seq = (uint64_t)c->handle;
  lg_message_begun(c, r);
}

void after_isendrecv(struct lg_call *c)
{
  if (!c->comm || !c->n)
    return;
  struct lg_req *r = remember(c, LG_OP_SEND);
  if (!r)
    return;
  int peer = lg_peer(lg_int(c, c->desc->peer)), source = lg_peer(lg_int(c, c->desc->peer2));
  r->peer = peer;
  r->tag = lg_tag(lg_int(c, c->desc->tag));
  r->seq = (uint64_t)c->handle;
  r->seq2 = c->seq2;
  r->peer2 = source == LG_PROC_NULL ? LG_NONE : source;
  r->tag2 = lg_tag(lg_int(c, c->desc->tag2));
  lg_message_begun(c, r);
  if (peer == LG_PROC_NULL)
    r->kind = LG_OP_OTHER;
}

void after_init_request(struct lg_call *c, uint32_t kind)
{
  if (!c->comm)
    return;
  struct lg_req *r = remember(c, kind);
  if (!r)
    return;
  r->persistent = true;
  r->active = false;
  r->buffered = c->desc->cls == CLS_bsend_init;
  r->bytes = lg_volume && c->desc->sends ? lg_send_bytes(c) : 0;
  if (kind == LG_OP_COLL) {
    r->peer = c->desc->peer >= 0 ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
    return;
  }
  r->peer = lg_peer(lg_int(c, c->desc->peer));
  r->tag = lg_tag(lg_int(c, c->desc->tag));
  lg_message_begun(c, r);
}

void start_one(struct lg_call *c, long handle)
{
  struct lg_req *r = lg_req_get(LG_KEY_REQUEST, handle);
  if (!r || r->peer == LG_PROC_NULL)
    return;
  r->active = true; /* its state stays that of the call that made it: it tells the mode */
  if (r->kind == LG_OP_SEND)
    r->seq = count_send(c, r->comm, r->peer, r->tag);
  else if (r->kind == LG_OP_RECV)
    r->seq = count_recv(c, r->comm, r->peer, r->tag);
  else if (r->kind == LG_OP_COLL && !r->ref->freed)
    r->seq = ++r->ref->live->coll;
  if (r->bytes) {
    c->comm = r->ref;
    lg_sent(c, r->kind == LG_OP_SEND ? r->peer : LG_NONE, r->bytes);
  }
  lg_message_started(r);
  if (r->buffered)
    note_buffered(r->comm, r->peer, r->tag, r->seq);
}

static uint32_t list_request(struct lg_thread *p, uint32_t n, const struct lg_req *r)
{
  if (!r->active || r->peer == LG_PROC_NULL)
    return n;
  put_pending(p, n++, (struct lg_pending){r->kind, r->comm, r->peer, r->tag, r->seq, state_in(p, r), 0});
  if (r->peer2 != LG_NONE)
    put_pending(p, n++, (struct lg_pending){LG_OP_RECV, r->comm, r->peer2, r->tag2, r->seq2, state_in(p, r), 0});
  return n;
}

/* list_unknown lists a request that is not followed: a generalised one, or one
 * the table had no room for. */
static uint32_t list_unknown(const struct lg_call *c, uint32_t n, long handle)
{
  if (lg_request_null(c, handle))
    return n;
  put_pending(c->thr->pub, n, (struct lg_pending){LG_OP_OTHER, UINT32_MAX, LG_NONE, LG_NONE, 0, UINT32_MAX, 0});
  return n + 1;
}

static bool needs_status(const struct lg_req *r)
{
  return r->cancelled || (r->kind == LG_OP_RECV && wild(r->peer, r->tag)) || (r->peer2 != LG_NONE && wild(r->peer2, r->tag2));
}

/* gather_one is gather for the commonest case. */
static uint32_t gather_one(struct lg_call *c, uint32_t n, bool by_value)
{
  c->n = 1;
  c->handle = by_value ? lg_handle_in(c, c->desc->request) : lg_handle_at(c, c->desc->request, 0);
  c->req = lg_req_get(LG_KEY_REQUEST, c->handle);
  if (!c->req)
    return list_unknown(c, n, c->handle);
  if (unlikely(c->req->active && needs_status(c->req)))
    want_status(c, 1);
  return list_request(c->thr->pub, n, c->req);
}

/* gather lists the requests a call names, and keeps their handles. */
static uint32_t gather(struct lg_call *c, uint32_t n, int count, bool by_value)
{
  if (count == 1)
    return gather_one(c, n, by_value);
  bool wanted = false;
  struct lg_thr *t = c->thr;
  if (count < 0 || (uint32_t)count > MAX_LIST || !make_room(t, (uint32_t)count))
    count = 0;
  for (int i = 0; i < count; i++) {
    t->handles[i] = lg_handle_at(c, c->desc->request, i);
    struct lg_req *r = lg_req_get(LG_KEY_REQUEST, t->handles[i]);
    if (!r) {
      n = list_unknown(c, n, t->handles[i]);
      continue;
    }
    n = list_request(t->pub, n, r);
    wanted |= r->active && needs_status(r);
  }
  c->n = count;
  if (wanted)
    want_status(c, (uint32_t)count);
  return n;
}

static int request_count(struct lg_call *c)
{
  return c->desc->count >= 0 ? lg_int(c, c->desc->count) : 1;
}

void before_wait(struct lg_call *c, uint32_t kind)
{
  begin(c);
  uint32_t n = gather(c, 0, request_count(c), false);
  publish(c, n ? kind : LG_OP_LOCAL, n);
  end(c);
}

/* named finds a request of the call again: while one thread alone uses the
 * table, a single one is still where it was. */
static struct lg_req *named(const struct lg_call *c, int i)
{
  if (c->n > 1)
    return lg_req_get(LG_KEY_REQUEST, c->thr->handles[i]);
  return likely(!lg_shared) ? c->req : lg_req_get(LG_KEY_REQUEST, c->handle);
}

/* completed settles a request the call has completed: what its wildcards
 * matched, the communicator it made, and that it is gone. */
static void completed(struct lg_call *c, int i, const char *status)
{
  struct lg_req *r = named(c, i);
  if (!r || !r->active)
    return;
  bool gone = r->cancelled && status && (status_int(status, lg_fam.status_cancelled) & lg_fam.status_cancel_mask);
  if (gone) {
    struct lg_chan *ch = r->seq ? lg_chan_get(c->st, r->kind != LG_OP_SEND, r->comm, r->peer, r->tag) : NULL;
    if (ch && r->kind == LG_OP_SEND)
      ch->pub->sent--;
    else if (ch)
      ch->pub->received--;
  } else {
    lg_message_completed(r, status && needs_status(r) ? matched(c, r->comm, status) : 0, status);
  }
  if (r->newcomm) {
    long handle = c->binding != LG_BIND_C || lg_fam.handle_bytes == 4 ? *(const int *)r->newcomm : *(const long *)r->newcomm;
    lg_comm_made(c, c->binding == LG_BIND_C ? handle : lg_fortran_comm((int)handle), r->ref, state_in(c->thr->pub, r));
  }
  if (r->persistent)
    r->active = false;
  else
    lg_req_drop(r);
}

void completed_all(struct lg_call *c)
{
  for (int i = 0; i < c->n; i++)
    completed(c, i, status_at(c, i));
}

void completed_any(struct lg_call *c)
{
  int i = lg_index(c, *(int *)c->args[c->desc->index]);
  if (i >= 0 && i < c->n)
    completed(c, i, status_at(c, 0));
}

bool completed_some(struct lg_call *c)
{
  int n = *(int *)c->args[c->desc->outcount];
  const int *indices = (const int *)c->args[c->desc->indices];
  for (int k = 0; k < n && k < c->n; k++) {
    int i = lg_index(c, indices[k]);
    if (i >= 0 && i < c->n)
      completed(c, i, status_at(c, k));
  }
  return n != 0;
}

/* ---- polling ---- */

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

/* A program that waits by polling asks the same a million times. From the second
 * time in vain on nothing is looked up and nothing listed anew: no call has come
 * between, so what the requests are known as is what it was. Only in C, where the
 * arguments are values, and while one thread alone calls. */
static void note_given(const struct lg_call *c)
{
  if (c->binding == LG_BIND_C && c->desc->nargs <= LG_VAIN_ARGS)
    memcpy(c->thr->vain.given, c->args, (size_t)c->desc->nargs * sizeof *c->args);
}

static bool polls_array(const struct lg_desc *d)
{
  return d->cls == CLS_test || d->cls == CLS_testall || d->cls == CLS_testany || d->cls == CLS_testsome;
}

static void note_vain(struct lg_call *c)
{
  struct lg_vain *v = &c->thr->vain;
  const struct lg_desc *d = c->desc;
  size_t bytes = polls_array(d) ? (size_t)request_count(c) * (size_t)lg_fam.handle_bytes : 0;
  if (v->st || c->binding != LG_BIND_C || d->nargs > LG_VAIN_ARGS || bytes > sizeof v->requests)
    return;
  v->bytes = (uint32_t)bytes;
  if (bytes)
    memcpy(v->requests, (const void *)c->args[d->request], bytes);
  memcpy(v->args, c->args, (size_t)d->nargs * sizeof *c->args);
  v->call = *c;
  v->st = c->st;
}

static bool same_poll(const struct lg_call *c, const struct lg_vain *v)
{
  return v->st == c->st && !lg_shared && memcmp(v->given, c->args, (size_t)c->desc->nargs * sizeof *c->args) == 0 &&
         (!v->bytes || memcmp(v->requests, (const void *)c->args[c->desc->request], v->bytes) == 0);
}

bool poll_again(struct lg_call *c)
{
  struct lg_vain *v = &c->thr->vain;
  struct lg_thread *p = c->thr->pub;
  long *args = c->args;
  if (!same_poll(c, v) || (lg_usage_on && !lg_usage_again(c)))
    return false;
  *c = v->call;
  c->args = memcpy(args, v->args, (size_t)c->desc->nargs * sizeof *args);
  c->recorded = lg_usage_on;
  begin(c);
  p->in_mpi = 1;
  p->calls++;
  lg_seq_end(&p->seq);
  return true;
}

/* A program that polls several things in turn waits for any of them: what has
 * been polled since the last progress is one list. */
void before_poll(struct lg_call *c, uint32_t (*list)(struct lg_call *, uint32_t))
{
  struct lg_thr *t = c->thr;
  struct lg_thread *p = t->pub;
  bool going_on = t->poll_mark == p->progress + 1 && p->kind == LG_OP_POLL && p->nlisted < LG_MAX_PENDING;
  uint32_t old = going_on ? p->nlisted : 0;
  note_given(c);
  begin(c);
  uint32_t n = list(c, old);
  if (n <= LG_MAX_PENDING)
    n = dedupe(p->pending, old, n);
  publish(c, n ? LG_OP_POLL : LG_OP_LOCAL, n);
  t->poll_mark = p->progress + 1;
  lg_seq_end(&p->seq);
}

uint32_t list_tests(struct lg_call *c, uint32_t n)
{
  return gather(c, n, request_count(c), false);
}

uint32_t list_status_query(struct lg_call *c, uint32_t n)
{
  return gather(c, n, 1, true);
}

void polled(struct lg_call *c, bool got)
{
  if (got) {
    c->thr->pub->progress++;
    c->thr->vain.st = NULL;
  } else {
    c->thr->pub->polls++;
    note_vain(c);
  }
}
