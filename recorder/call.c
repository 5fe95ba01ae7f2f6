/* What happens around an MPI call: before it the state, the transition and the
 * operation are written down, so that a rank that never comes back has said
 * what it waits for; after it, what the call made or completed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define MAX_LIST (1u << 20) /* requests of one call that are followed */

/* ---- publishing ---- */

static void put_pending(struct lg_thread *p, uint32_t n, struct lg_pending e)
{
  if (n < LG_MAX_PENDING)
    p->pending[n] = e;
}

static inline void publish(const struct lg_call *c, uint32_t kind, uint32_t n)
{
  struct lg_thread *p = c->thr->pub;
  p->state = c->st->index;
  p->kind = kind;
  p->npending = n;
  p->nlisted = n < LG_MAX_PENDING ? n : LG_MAX_PENDING;
  p->in_mpi = 1;
  p->calls++;
}

static inline void begin(const struct lg_call *c)
{
  lg_seq_begin(&c->thr->pub->seq);
}

static inline void end(const struct lg_call *c)
{
  c->thr->pub->progress++;
  lg_seq_end(&c->thr->pub->seq);
}

static void simple(struct lg_call *c, uint32_t kind)
{
  begin(c);
  publish(c, kind, 0);
  end(c);
}

/* A local call is no progress; within a polling loop it leaves standing what is
 * polled. */
static void local(struct lg_call *c)
{
  struct lg_thread *p = c->thr->pub;
  bool polling = c->thr->poll_mark == p->progress + 1;
  begin(c);
  publish(c, polling ? p->kind : LG_OP_LOCAL, polling ? p->npending : 0);
  lg_seq_end(&p->seq);
}

static void one(struct lg_call *c, uint32_t kind, struct lg_pending e)
{
  begin(c);
  put_pending(c->thr->pub, 0, e);
  publish(c, kind, 1);
  end(c);
}

/* ---- point-to-point ---- */

static uint64_t count_send(struct lg_call *c, uint32_t comm, int peer, int tag)
{
  struct lg_chan *ch = lg_chan_get(c->st, 0, comm, peer, tag);
  return ch ? ++ch->pub->sent : 0;
}

/* A receive with a wildcard is counted once it is known what it matched. */
static uint64_t count_recv(struct lg_call *c, uint32_t comm, int peer, int tag)
{
  if (peer < 0 || tag == LG_ANY)
    return 0;
  struct lg_chan *ch = lg_chan_get(c->st, 1, comm, peer, tag);
  return ch ? ++ch->pub->received : 0;
}

struct half { /* one direction of a point-to-point call */
  uint32_t comm;
  int peer, tag;
};

static bool half_of(struct lg_call *c, int peer, int tag, struct half *h)
{
  c->comm = lg_comm_of(c->st, c, c->desc->comm);
  if (!c->comm)
    return false;
  *h = (struct half){c->comm->index, lg_peer(lg_int(c, peer)), lg_tag(lg_int(c, tag))};
  return h->peer != LG_PROC_NULL;
}

static struct lg_pending sent(struct lg_call *c, const struct half *h)
{
  return (struct lg_pending){LG_OP_SEND, h->comm, h->peer, h->tag, count_send(c, h->comm, h->peer, h->tag), c->st->index, 0};
}

static struct lg_pending received(struct lg_call *c, const struct half *h)
{
  return (struct lg_pending){LG_OP_RECV, h->comm, h->peer, h->tag, count_recv(c, h->comm, h->peer, h->tag), c->st->index, 0};
}

static bool wild(int peer, int tag)
{
  return peer == LG_ANY || tag == LG_ANY;
}

static bool make_room(struct lg_thr *t, uint32_t n)
{
  if (n <= t->room)
    return true;
  uint32_t room = n < 64 ? 64 : n * 2;
  long *h = realloc(t->handles, room * sizeof *h);
  if (h)
    t->handles = h;
  char *s = realloc(t->statuses, room * 32);
  if (s)
    t->statuses = s;
  if (h && s)
    t->room = room;
  return h && s;
}

/* want_status puts a status of ours in the place of MPI_STATUS_IGNORE, for a
 * call whose partner only the status tells. */
static void want_status(struct lg_call *c, uint32_t n)
{
  if (!lg_status_ignored(c) || !make_room(c->thr, n))
    return;
  memset(c->thr->statuses, 0, (size_t)n * (size_t)lg_fam.status_size);
  c->args[c->desc->status] = (long)c->thr->statuses;
  c->own_status = true;
}

static const char *status_at(const struct lg_call *c, int k)
{
  if (c->desc->status < 0 || lg_status_ignored(c))
    return NULL;
  return (const char *)c->args[c->desc->status] + (size_t)k * (size_t)lg_fam.status_size;
}

static int status_int(const char *status, int offset)
{
  int v;
  memcpy(&v, status + offset, sizeof v);
  return v;
}

/* matched counts a wildcard receive on the channel its status names. */
static void matched(struct lg_call *c, uint32_t comm, const char *status)
{
  int source = status_int(status, lg_fam.status_source), tag = status_int(status, lg_fam.status_tag);
  if (source < 0 || tag < 0)
    return;
  struct lg_chan *ch = lg_chan_get(c->st, 1, comm, source, tag);
  if (ch)
    ch->pub->received++;
}

static void before_send(struct lg_call *c, bool blocks)
{
  struct half h;
  if (!half_of(c, c->desc->peer, c->desc->tag, &h))
    return simple(c, LG_OP_LOCAL);
  struct lg_pending e = sent(c, &h);
  if (blocks)
    one(c, LG_OP_SEND, e);
  else
    simple(c, LG_OP_LOCAL);
  c->handle = (long)e.seq;
  c->peer = h.peer;
  c->tag = h.tag;
}

static void before_recv(struct lg_call *c, uint32_t kind)
{
  struct half h;
  if (!half_of(c, c->desc->peer, c->desc->tag, &h))
    return simple(c, LG_OP_LOCAL);
  struct lg_pending e = {kind, h.comm, h.peer, h.tag, 0, c->st->index, 0};
  if (kind == LG_OP_RECV)
    e = received(c, &h);
  one(c, kind, e);
  c->handle = (long)e.seq;
  c->peer = h.peer;
  c->tag = h.tag;
  if (wild(h.peer, h.tag))
    want_status(c, 1);
}

/* A receive that is only begun here, or a probe that has to be matched later. */
static void begun_recv(struct lg_call *c)
{
  struct half h;
  if (half_of(c, c->desc->peer, c->desc->tag, &h)) {
    c->handle = (long)count_recv(c, h.comm, h.peer, h.tag);
    c->peer = h.peer;
    c->tag = h.tag;
  }
  simple(c, LG_OP_LOCAL);
}

static void before_sendrecv(struct lg_call *c, bool blocks)
{
  struct half s, r;
  uint32_t n = 0;
  bool to = half_of(c, c->desc->peer, c->desc->tag, &s), from = half_of(c, c->desc->peer2, c->desc->tag2, &r);
  struct lg_pending e[2];
  if (to)
    e[n++] = sent(c, &s);
  if (from)
    e[n++] = received(c, &r);
  if (!blocks) {
    c->n = (int)n; /* after_isendrecv reads peers and tags back from the arguments */
    c->handle = to ? (long)e[0].seq : 0;
    c->seq2 = from ? e[n - 1].seq : 0;
    return simple(c, LG_OP_LOCAL);
  }
  begin(c);
  for (uint32_t i = 0; i < n; i++)
    put_pending(c->thr->pub, i, e[i]);
  publish(c, n ? LG_OP_WAIT : LG_OP_LOCAL, n);
  end(c);
  if (from) {
    c->peer = r.peer;
    c->tag = r.tag;
    if (wild(r.peer, r.tag))
      want_status(c, 1);
  }
}

/* ---- requests ---- */

static struct lg_req *remember(struct lg_call *c, uint32_t kind)
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
  return r;
}

static void after_begun(struct lg_call *c, uint32_t kind)
{
  if (!c->comm || c->peer == LG_PROC_NULL)
    return;
  struct lg_req *r = remember(c, kind);
  if (!r)
    return;
  r->peer = c->peer;
  r->tag = c->tag;
  r->seq = (uint64_t)c->handle;
}

static void after_isendrecv(struct lg_call *c)
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
  if (peer == LG_PROC_NULL)
    r->kind = LG_OP_OTHER;
}

static void after_init_request(struct lg_call *c, uint32_t kind)
{
  c->comm = lg_comm_of(c->st, c, c->desc->comm);
  if (!c->comm)
    return;
  struct lg_req *r = remember(c, kind);
  if (!r)
    return;
  r->persistent = true;
  r->active = false;
  if (kind == LG_OP_COLL) {
    r->peer = c->desc->peer >= 0 ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
    return;
  }
  r->peer = lg_peer(lg_int(c, c->desc->peer));
  r->tag = lg_tag(lg_int(c, c->desc->tag));
}

static void start_one(struct lg_call *c, long handle)
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
}

static uint32_t list_request(struct lg_thread *p, uint32_t n, const struct lg_req *r)
{
  if (!r->active || r->peer == LG_PROC_NULL)
    return n;
  put_pending(p, n++, (struct lg_pending){r->kind, r->comm, r->peer, r->tag, r->seq, r->state, 0});
  if (r->peer2 != LG_NONE)
    put_pending(p, n++, (struct lg_pending){LG_OP_RECV, r->comm, r->peer2, r->tag2, r->seq2, r->state, 0});
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

static void before_wait(struct lg_call *c, uint32_t kind)
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
  } else if (status && needs_status(r)) {
    matched(c, r->comm, status);
  }
  if (r->newcomm) {
    long handle = c->binding != LG_BIND_C || lg_fam.handle_bytes == 4 ? *(const int *)r->newcomm : *(const long *)r->newcomm;
    lg_comm_made(c, c->binding == LG_BIND_C ? handle : lg_fortran_comm((int)handle), r->ref, r->state);
  }
  if (r->persistent)
    r->active = false;
  else
    lg_req_drop(r);
}

static void completed_all(struct lg_call *c)
{
  for (int i = 0; i < c->n; i++)
    completed(c, i, status_at(c, i));
}

static int fortran_index(const struct lg_call *c, int i)
{
  return c->binding == LG_BIND_C ? i : i - 1;
}

static void completed_any(struct lg_call *c)
{
  int i = fortran_index(c, *(int *)c->args[c->desc->index]);
  if (i >= 0 && i < c->n)
    completed(c, i, status_at(c, 0));
}

static bool completed_some(struct lg_call *c)
{
  int n = *(int *)c->args[c->desc->outcount];
  const int *indices = (const int *)c->args[c->desc->indices];
  for (int k = 0; k < n && k < c->n; k++) {
    int i = fortran_index(c, indices[k]);
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

/* A program that polls several things in turn waits for any of them: what has
 * been polled since the last progress is one list. */
static void before_poll(struct lg_call *c, uint32_t (*list)(struct lg_call *, uint32_t))
{
  struct lg_thr *t = c->thr;
  struct lg_thread *p = t->pub;
  bool going_on = t->poll_mark == p->progress + 1 && p->kind == LG_OP_POLL && p->nlisted < LG_MAX_PENDING;
  uint32_t old = going_on ? p->nlisted : 0;
  begin(c);
  uint32_t n = list(c, old);
  if (n <= LG_MAX_PENDING)
    n = dedupe(p->pending, old, n);
  publish(c, n ? LG_OP_POLL : LG_OP_LOCAL, n);
  t->poll_mark = p->progress + 1;
  lg_seq_end(&p->seq);
}

static uint32_t list_tests(struct lg_call *c, uint32_t n)
{
  return gather(c, n, request_count(c), false);
}

static uint32_t list_status_query(struct lg_call *c, uint32_t n)
{
  return gather(c, n, 1, true);
}

static uint32_t list_window(struct lg_call *c, uint32_t n)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  put_pending(c->thr->pub, n, (struct lg_pending){LG_OP_RMA, c->comm ? c->comm->index : UINT32_MAX, LG_NONE, LG_NONE, 0, c->st->index, 0});
  return n + 1;
}

static uint32_t list_probe(struct lg_call *c, uint32_t n)
{
  struct half h;
  if (!half_of(c, c->desc->peer, c->desc->tag, &h))
    return n;
  put_pending(c->thr->pub, n, (struct lg_pending){LG_OP_PROBE, h.comm, h.peer, h.tag, 0, c->st->index, 0});
  c->peer = h.peer;
  c->tag = h.tag;
  if (c->desc->cls == CLS_improbe)
    want_status(c, 1);
  return n + 1;
}

static void polled(struct lg_call *c, bool got)
{
  if (got)
    c->thr->pub->progress++;
  else
    c->thr->pub->polls++;
}

/* ---- matched probes ---- */

static void found_message(struct lg_call *c)
{
  const char *status = status_at(c, 0);
  if (!c->comm || !status)
    return;
  int source = status_int(status, lg_fam.status_source), tag = status_int(status, lg_fam.status_tag);
  struct lg_req *r = source < 0 ? NULL : lg_req_put(LG_KEY_MESSAGE, lg_handle_at(c, c->desc->message, 0));
  if (!r)
    return;
  struct lg_chan *ch = lg_chan_get(c->st, 1, c->comm->index, source, tag);
  r->kind = LG_OP_RECV;
  r->comm = c->comm->index;
  r->ref = c->comm;
  r->peer = source;
  r->tag = tag;
  r->seq = ch ? ++ch->pub->received : 0;
}

/* take_message moves what a matched probe found into the call. */
static void take_message(struct lg_call *c, struct lg_pending *e)
{
  struct lg_req *r = lg_req_get(LG_KEY_MESSAGE, lg_handle_at(c, c->desc->message, 0));
  *e = (struct lg_pending){LG_OP_OTHER, UINT32_MAX, LG_NONE, LG_NONE, 0, c->st->index, 0};
  if (!r)
    return;
  *e = (struct lg_pending){LG_OP_RECV, r->comm, r->peer, r->tag, r->seq, c->st->index, 0};
  c->comm = r->ref;
  c->peer = r->peer;
  c->tag = r->tag;
  c->handle = (long)r->seq;
  lg_req_drop(r);
}

/* ---- collectives, communicators, windows, files ---- */

static void before_coll(struct lg_call *c, int where)
{
  c->comm = lg_comm_of(c->st, c, where);
  if (!c->comm)
    return simple(c, LG_OP_OTHER);
  int root = c->desc->peer >= 0 && where == c->desc->comm ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
  begin(c);
  put_pending(c->thr->pub, 0, (struct lg_pending){LG_OP_COLL, c->comm->index, root, LG_NONE, ++c->comm->live->coll, c->st->index, 0});
  publish(c, LG_OP_COLL, 1);
  end(c);
}

static void before_icoll(struct lg_call *c, int where)
{
  c->comm = lg_comm_of(c->st, c, where);
  if (c->comm)
    c->handle = (long)++c->comm->live->coll;
  simple(c, LG_OP_LOCAL);
}

static void after_icoll(struct lg_call *c)
{
  struct lg_req *r = c->comm ? remember(c, LG_OP_COLL) : NULL;
  if (!r)
    return;
  r->seq = (uint64_t)c->handle;
  if (c->desc->cls == CLS_newcomm_nb)
    r->newcomm = (const void *)c->args[c->desc->newcomm];
  else if (c->desc->peer >= 0 && c->desc->cls == CLS_icoll)
    r->peer = lg_peer(lg_int(c, c->desc->peer));
}

static void before_newcomm_group(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->comm);
  simple(c, LG_OP_OTHER);
}

/* The members of the group alone make the communicator: it is waited for as a
 * first collective on it. */
static void before_newcomm_members(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->comm);
  struct lg_comm_ref *forming = c->comm ? lg_comm_forming(c, lg_group_handle(c, c->desc->group), c->comm, c->st->index) : NULL;
  if (!forming)
    return simple(c, LG_OP_OTHER);
  c->handle = (long)forming;
  one(c, LG_OP_COLL, (struct lg_pending){LG_OP_COLL, forming->index, LG_NONE, LG_NONE, ++forming->live->coll, c->st->index, 0});
}

static void after_newcomm_members(struct lg_call *c)
{
  if (c->handle)
    lg_comm_free((struct lg_comm_ref *)c->handle);
  lg_comm_made(c, lg_comm_made_handle(c, c->desc->newcomm), c->comm, c->st->index);
}

static void after_like(struct lg_call *c, int what, int where)
{
  if (c->comm)
    lg_comm_like(c, what, lg_handle_at(c, where, 0), c->comm, c->st->index);
}

static void before_win(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  int peer = c->desc->peer >= 0 ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
  one(c, LG_OP_RMA, (struct lg_pending){LG_OP_RMA, c->comm ? c->comm->index : UINT32_MAX, peer, LG_NONE, 0, c->st->index, 0});
}

/* Freeing takes a pointer to the handle, which is gone afterwards. */
static void before_free(struct lg_call *c, int what, int where)
{
  long handle = what == LG_HANDLE_COMM ? lg_comm_made_handle(c, where) : lg_handle_at(c, where, 0);
  c->comm = lg_comm_find(what, handle);
  if (!c->comm)
    return simple(c, LG_OP_OTHER);
  one(c, LG_OP_COLL, (struct lg_pending){LG_OP_COLL, c->comm->index, LG_NONE, LG_NONE, ++c->comm->live->coll, c->st->index, 0});
}

/* ---- the two ends of a call ---- */

static void dispatch_before(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_send: return before_send(c, true);
  case CLS_bsend: return before_send(c, false);
  case CLS_isend: return before_send(c, false);
  case CLS_recv: return before_recv(c, LG_OP_RECV);
  case CLS_probe: return before_recv(c, LG_OP_PROBE);
  case CLS_mprobe: before_recv(c, LG_OP_PROBE); if (!c->own_status) want_status(c, 1); return;
  case CLS_irecv: return begun_recv(c);
  case CLS_sendrecv: return before_sendrecv(c, true);
  case CLS_isendrecv: return before_sendrecv(c, false);
  case CLS_iprobe: case CLS_improbe: return before_poll(c, list_probe);
  case CLS_mrecv: case CLS_imrecv: {
    struct lg_pending e;
    take_message(c, &e);
    return d->cls == CLS_mrecv ? one(c, LG_OP_RECV, e) : simple(c, LG_OP_LOCAL);
  }
  case CLS_wait: case CLS_waitall: return before_wait(c, LG_OP_WAIT);
  case CLS_waitany: case CLS_waitsome: return before_wait(c, LG_OP_WAITANY);
  case CLS_test: case CLS_testall: case CLS_testany: case CLS_testsome: return before_poll(c, list_tests);
  case CLS_get_status: case CLS_parrived: return before_poll(c, list_status_query);
  case CLS_win_test: return before_poll(c, list_window);
  case CLS_start: start_one(c, lg_handle_at(c, d->request, 0)); return simple(c, LG_OP_LOCAL);
  case CLS_startall:
    for (int i = 0; i < lg_int(c, d->count); i++)
      start_one(c, lg_handle_at(c, d->request, i));
    return simple(c, LG_OP_LOCAL);
  case CLS_request_free: {
    struct lg_req *r = lg_req_get(LG_KEY_REQUEST, lg_handle_at(c, d->request, 0));
    if (r)
      lg_req_drop(r);
    return local(c);
  }
  case CLS_cancel: {
    struct lg_req *r = lg_req_get(LG_KEY_REQUEST, lg_handle_at(c, d->request, 0));
    if (r)
      r->cancelled = true;
    return local(c);
  }
  case CLS_coll: case CLS_newcomm: case CLS_newwin: return before_coll(c, d->comm);
  case CLS_newfile: return before_coll(c, d->comm);
  case CLS_win_coll: return before_coll(c, d->win);
  case CLS_file_coll: return before_coll(c, d->file);
  case CLS_icoll: case CLS_newcomm_nb: return before_icoll(c, d->comm);
  case CLS_newcomm_group: return before_newcomm_group(c);
  case CLS_newcomm_members: return before_newcomm_members(c);
  case CLS_other: return simple(c, LG_OP_OTHER);
  case CLS_newcomm_dynamic: return before_coll(c, d->comm);
  case CLS_win_sync: return before_win(c);
  case CLS_comm_free: return before_free(c, LG_HANDLE_COMM, d->newcomm);
  case CLS_win_free: return before_free(c, LG_HANDLE_WIN, d->win);
  case CLS_file_free: return before_free(c, LG_HANDLE_FILE, d->file);
  case CLS_init: return simple(c, LG_OP_INIT);
  case CLS_finalize: lg_rank->status = LG_FINALIZING; return simple(c, LG_OP_FINALIZE);
  case CLS_abort: lg_said_end(LG_ABORTED, lg_int(c, 1)); return simple(c, LG_OP_ABORT);
  case CLS_rma: case CLS_rma_nb: case CLS_file_nb: case CLS_coll_init: case CLS_send_init: case CLS_recv_init:
    return simple(c, LG_OP_LOCAL);
  default: return local(c);
  }
}

static void dispatch_after(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_isend: return after_begun(c, LG_OP_SEND);
  case CLS_irecv: case CLS_imrecv: return after_begun(c, LG_OP_RECV);
  case CLS_isendrecv: return after_isendrecv(c);
  case CLS_send_init: return after_init_request(c, LG_OP_SEND);
  case CLS_recv_init: return after_init_request(c, LG_OP_RECV);
  case CLS_coll_init: return after_init_request(c, LG_OP_COLL);
  case CLS_recv: case CLS_sendrecv:
    if (c->comm && wild(c->peer, c->tag) && status_at(c, 0))
      matched(c, c->comm->index, status_at(c, 0));
    return;
  case CLS_wait: case CLS_waitall: return completed_all(c);
  case CLS_waitany: return completed_any(c);
  case CLS_waitsome: completed_some(c); return;
  case CLS_test: case CLS_testall: {
    bool got = *(int *)c->args[d->flag] != 0;
    if (got)
      completed_all(c);
    return polled(c, got);
  }
  case CLS_testany: {
    bool got = *(int *)c->args[d->flag] != 0;
    if (got)
      completed_any(c);
    return polled(c, got);
  }
  case CLS_testsome: return polled(c, completed_some(c));
  case CLS_iprobe: case CLS_get_status: case CLS_parrived: case CLS_win_test: return polled(c, *(int *)c->args[d->flag] != 0);
  case CLS_improbe: {
    bool got = *(int *)c->args[d->flag] != 0;
    if (got)
      found_message(c);
    return polled(c, got);
  }
  case CLS_mprobe: return found_message(c);
  case CLS_icoll: case CLS_newcomm_nb: return after_icoll(c);
  case CLS_newcomm: case CLS_newcomm_group: case CLS_newcomm_dynamic:
    return lg_comm_made(c, lg_comm_made_handle(c, d->newcomm), c->comm, c->st->index);
  case CLS_newcomm_members: return after_newcomm_members(c);
  case CLS_newwin: return after_like(c, LG_HANDLE_WIN, d->win);
  case CLS_newfile: return after_like(c, LG_HANDLE_FILE, d->file);
  case CLS_comm_free: case CLS_win_free: case CLS_file_free:
    if (c->comm)
      lg_comm_free(c->comm);
    return;
  case CLS_rma_nb: case CLS_file_nb: {
    remember(c, LG_OP_OTHER);
    return;
  }
  case CLS_init: return lg_start_done();
  case CLS_finalize: lg_rank->status = LG_FINALIZED; return;
  default: return;
  }
}

static bool uses_tables(int cls)
{
  return cls != CLS_local;
}

static inline void transition(struct lg_thr *t, struct lg_st *st)
{
  struct lg_st *prev = t->prev;
  ++*st->visits;
  if (likely(prev != NULL)) {
    if (likely(prev->last.to == st->index))
      ++*prev->last.count;
    else
      lg_edge_slow(t, prev, st);
  }
  t->prev = st;
}

/* nested: the library calls itself, or a callback of the program's calls it. An
 * MPI call that was left by longjmp or an exception is no longer on the stack,
 * and its return address not in its place. */
static inline bool nested(const struct lg_thr *t, const void *cfa)
{
  return t->outer_cfa && (uint64_t)cfa < t->outer_cfa && ((const uint64_t *)t->outer_cfa)[-1] == t->outer_ra;
}

static struct lg_thr *__attribute__((noinline)) first_call(void)
{
  if (lg_off || !lg_start())
    return NULL;
  return lg_thread_register();
}

bool lg_before(struct lg_call *c, const struct lg_desc *d, int binding, long *args, void *ra, void *cfa)
{
  struct lg_thr *t = lg_self;
  if (unlikely(!t) && !(t = first_call()))
    return false;
  if (unlikely(lg_off) || nested(t, cfa))
    return false;
  struct lg_st *st = lg_state_find(t, d, binding, (uint64_t)ra, (uint64_t)cfa);
  if (unlikely(!st))
    return false;
  c->thr = t;
  c->desc = d;
  c->binding = binding;
  c->args = args;
  c->st = st;
  c->comm = NULL;
  c->handle = 0;
  c->n = 0;
  c->req = NULL;
  c->peer = LG_PROC_NULL;
  c->tag = LG_NONE;
  c->own_status = false;
  t->outer_cfa = (uint64_t)cfa;
  t->outer_ra = (uint64_t)ra;
  transition(t, st);
  if (!uses_tables(d->cls)) {
    local(c);
    return true;
  }
  lg_lock_tables();
  dispatch_before(c);
  lg_unlock_tables();
  return true;
}

void lg_after(struct lg_call *c)
{
  struct lg_thr *t = c->thr;
  if (uses_tables(c->desc->cls) && likely(!lg_off)) {
    lg_lock_tables();
    dispatch_after(c);
    lg_unlock_tables();
  }
  t->outer_cfa = 0;
  __atomic_store_n(&t->pub->in_mpi, 0, __ATOMIC_RELEASE);
}

struct lg_thr *lg_light_begin(void *cfa)
{
  struct lg_thr *t = lg_self;
  if (!t || lg_off || nested(t, cfa))
    return NULL;
  t->pub->light++;
  t->outer_cfa = (uint64_t)cfa;
  t->outer_ra = ((uint64_t *)cfa)[-1];
  return t;
}
