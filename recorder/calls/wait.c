#include "base/locks.h"
#include "calls/operation.h"
#include "calls/p2p.h"
#include "calls/wait.h"
#include "identity/channel.h"
#include "identity/collective.h"
#include "identity/comm.h"
#include "identity/persistent.h"
#include "identity/scratch.h"
#include "identity/wildcard.h"
#include "movement/message.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "volume/bytes.h"
#include "volume/volume.h"

#define MAX_LIST (1u << 20) /* requests of one call that are followed */

/* What some request took is told by its status alone: it has a wildcard, or was cancelled. */
static bool statuses_tell;

/* remember follows a request, which the caller has to count. */
static struct lg_req *remember(struct lg_call *c, uint32_t kind)
{
  struct lg_req *r = lg_req_put(LG_KEY_REQUEST, lg_handle_at(c, c->desc->request, 0));
  if (!r)
    return NULL;
  r->kind = kind;
  r->peer = LG_NONE;
  r->tag = LG_NONE;
  r->comm = c->comm ? c->comm->index : LG_NO_INDEX;
  r->ref = c->comm;
  r->state = c->st->index;
  r->thread = c->thr->pub->index;
  r->by = c->st->live;
  return r;
}

struct lg_req *lg_remember(struct lg_call *c, uint32_t kind)
{
  struct lg_req *r = remember(c, kind);
  if (r)
    r->by->unfreed++;
  return r;
}

/* State numbers belong to a thread: that of the call which began a request means
 * nothing in another thread. */
static uint32_t state_in(const struct lg_thread *p, const struct lg_req *r)
{
  return r->thread == p->index ? r->state : LG_NO_INDEX;
}

/* keep_fortran does so for Fortran, which passes addresses. */
static void __attribute__((noinline)) keep_fortran(const struct lg_call *c, struct lg_req *r)
{
  const struct lg_desc *d = c->desc;
  r->buffer = (uint64_t)lg_arg_buffer(c, d->recv_buf);
  r->count = lg_count_of(c, d->recv_count);
  r->type = lg_handle_in(c, d->recv_type);
}

/* keep_buffer notes which memory a send or receive uses, for when the process dies before it is complete. The count and the datatype
 * follow the buffer. */
static inline void keep_buffer(const struct lg_call *c, struct lg_req *r)
{
  const struct lg_desc *d = c->desc;
  if (d->recv_buf < 0 || unlikely(d->partitions >= 0))
    return;
  if (unlikely(c->binding != LG_BIND_C))
    return keep_fortran(c, r);
  const long *a = c->args + d->recv_buf;
  r->buffer = (uint64_t)a[0];
  r->count = (uint64_t)(d->wide ? a[1] : (int)a[1]);
  r->type = lg_fam.handle_bytes == 4 ? (int)a[2] : a[2];
}

/* begin_wildcard counts a receive with a wildcard until what it took is known. Others have numbers. */
static void __attribute__((noinline)) begin_wildcard(struct lg_req *r, int peer, int tag)
{
  if (!lg_wild(peer, tag))
    return;
  statuses_tell = true;
  r->wildcard = lg_wildcard_begin(r->comm, peer, tag, r->thread, r->state);
}

static void end_wildcard(struct lg_req *r)
{
  lg_wildcard_end(r->wildcard);
  r->wildcard = 0;
}

void lg_after_begun(struct lg_call *c, uint32_t kind)
{
  if (!c->comm || c->peer == LG_PROC_NULL)
    return;
  struct lg_req *r = lg_remember(c, kind);
  if (!r)
    return;
  r->peer = c->peer;
  r->tag = c->tag;
  r->seq = (uint64_t)c->handle;
  if (unlikely(!r->seq) && kind == LG_OP_RECV)
    begin_wildcard(r, r->peer, r->tag);
  keep_buffer(c, r);
  lg_message_begun(c, r);
}

void lg_after_isendrecv(struct lg_call *c)
{
  if (!c->comm || !c->n)
    return;
  struct lg_req *r = lg_remember(c, LG_OP_SEND);
  if (!r)
    return;
  int peer = lg_peer(lg_int(c, c->desc->peer)), source = lg_peer(lg_int(c, c->desc->peer2));
  r->peer = peer;
  r->tag = lg_tag(lg_int(c, c->desc->tag));
  r->seq = (uint64_t)c->handle;
  r->seq2 = c->seq2;
  r->peer2 = source == LG_PROC_NULL ? LG_NONE : source;
  r->tag2 = lg_tag(lg_int(c, c->desc->tag2));
  if (unlikely(!r->seq2) && r->peer2 != LG_NONE)
    begin_wildcard(r, r->peer2, r->tag2);
  lg_message_begun(c, r);
  if (peer == LG_PROC_NULL)
    r->kind = LG_OP_OTHER;
}

/* count_made counts a persistent request for messages among those that its call made. */
static void count_made(struct lg_req *r)
{
  uint32_t flags = (r->kind == LG_OP_SEND ? LG_PERSISTENT_SENDS : 0) | (r->partitioned ? LG_PERSISTENT_PARTITIONED : 0);
  if (r->peer == LG_PROC_NULL)
    return;
  r->made = lg_persistent_of(r->comm, r->peer, r->tag, flags, r->thread, r->state);
  if (r->made)
    r->made->made++;
}

void lg_after_init_request(struct lg_call *c, uint32_t kind)
{
  if (!c->comm)
    return;
  struct lg_req *r = remember(c, kind);
  if (!r)
    return;
  lg_count_made(c->st, c->thr->pub->progress);
  r->persistent = true;
  r->active = false;
  r->buffered = c->desc->cls == CLS_bsend_init;
  r->partitioned = c->desc->partitions >= 0;
  r->bytes = lg_volume && (c->desc->traits & TRAIT_sends) ? lg_send_bytes(c) : 0;
  if (kind == LG_OP_COLL) {
    r->peer = c->desc->peer >= 0 ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
    r->collective = *lg_collective_of(c, c->comm, r->peer);
    return;
  }
  r->peer = lg_peer(lg_int(c, c->desc->peer));
  r->tag = lg_tag(lg_int(c, c->desc->tag));
  count_made(r);
  keep_buffer(c, r);
  lg_message_begun(c, r);
}

static void start_one(struct lg_call *c, long handle)
{
  struct lg_req *r = lg_req_get(LG_KEY_REQUEST, handle);
  if (!r || r->peer == LG_PROC_NULL)
    return;
  r->active = true; /* its state stays that of the call that made it: it tells the mode */
  r->told = false;
  if (r->made) {
    r->made->started++;
    r->made->idle = 0;
  }
  if (r->kind == LG_OP_SEND)
    r->seq = lg_count_send(c->st, r->comm, r->peer, r->tag);
  else if (r->kind == LG_OP_RECV) {
    r->seq = lg_count_recv(c->st, r->comm, r->peer, r->tag);
    if (unlikely(!r->seq))
      begin_wildcard(r, r->peer, r->tag);
  } else if (r->kind == LG_OP_COLL && !r->ref->freed)
    r->seq = r->ref->alone ? ++r->ref->live->coll : lg_collective_again(r->ref, &r->collective);
  if (r->bytes) {
    c->comm = r->ref;
    lg_sent(c, r->kind == LG_OP_SEND ? r->peer : LG_NONE, r->bytes);
  }
  lg_message_started(r);
  if (r->buffered)
    lg_note_buffered(r->comm, r->peer, r->tag, r->seq);
}

void lg_before_start(struct lg_call *c, int n)
{
  for (int i = 0; i < n; i++)
    start_one(c, lg_handle_at(c, c->desc->request, i));
  lg_op_simple(c, LG_OP_LOCAL);
}

/* uncount takes back that a message was sent or received: it was cancelled. */
static void uncount(const struct lg_req *r)
{
  struct lg_chan *ch = r->seq ? lg_chan_known(r->comm, r->peer, r->tag) : NULL;
  if (ch && r->kind == LG_OP_SEND)
    ch->pub->sent--;
  else if (ch)
    ch->pub->received--;
}

void lg_before_request_free(struct lg_call *c)
{
  struct lg_req *r = lg_req_get(LG_KEY_REQUEST, lg_handle_at(c, c->desc->request, 0));
  if (r) {
    if (r->active && r->cancelled && r->kind == LG_OP_RECV) {
      uncount(r); /* had it taken a message before, the program would not know */
      end_wildcard(r);
    }
    lg_req_drop(r);
  }
  lg_op_local(c);
}

void lg_before_cancel(struct lg_call *c)
{
  struct lg_req *r = lg_req_get(LG_KEY_REQUEST, lg_handle_at(c, c->desc->request, 0));
  if (r)
    r->cancelled = statuses_tell = true;
  lg_op_local(c);
}

static uint32_t list_request(struct lg_thread *p, uint32_t n, const struct lg_req *r)
{
  if (!r->active)
    return n;
  if (r->peer != LG_PROC_NULL)
    lg_op_wait_for(p, n++, (struct lg_pending){r->kind, r->comm, r->peer, r->tag, r->seq, state_in(p, r), 0});
  if (r->peer2 != LG_NONE)
    lg_op_wait_for(p, n++, (struct lg_pending){LG_OP_RECV, r->comm, r->peer2, r->tag2, r->seq2, state_in(p, r), 0});
  return n;
}

/* list_unknown lists a request that is not followed: a generalised one, or one
 * the table had no room for. */
static uint32_t list_unknown(const struct lg_call *c, uint32_t n, long handle)
{
  if (lg_request_null(c, handle))
    return n;
  lg_op_wait_for(c->thr->pub, n, (struct lg_pending){LG_OP_OTHER, LG_NO_INDEX, LG_NONE, LG_NONE, 0, LG_NO_INDEX, 0});
  return n + 1;
}

static bool needs_status(const struct lg_req *r)
{
  return r->cancelled || (r->kind == LG_OP_RECV && lg_wild(r->peer, r->tag)) || (r->peer2 != LG_NONE && lg_wild(r->peer2, r->tag2));
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
    lg_want_status(c, 1);
  return list_request(c->thr->pub, n, c->req);
}

/* is_for_one: the call completes one of its requests, and has one status. */
static bool is_for_one(const struct lg_call *c)
{
  return c->desc->cls == CLS_waitany || c->desc->cls == CLS_testany;
}

/* copy_rest keeps the handles from the i-th on, which are not looked up, and gives how many there are. */
static uint32_t copy_rest(const struct lg_call *c, int i, int count)
{
  long *to = c->thr->handles;
  uint32_t n = 0;
  if (c->binding == LG_BIND_C && lg_fam.handle_bytes == 8) { /* of thousands that takes a while: without a branch it is the least */
    const long *from = (const long *)c->args[c->desc->request], null = lg_fam.request_null;
    for (; i < count; i++) {
      to[i] = from[i];
      n += from[i] != null;
    }
  }
  for (; i < count; i++) {
    to[i] = lg_handle_at(c, c->desc->request, i);
    n += !lg_request_null(c, to[i]);
  }
  return n;
}

/* gather lists the requests a call names, and keeps their handles. A program may have thousands, and make such a call for each that
 * completes: those that find no place in the list are only looked up if the call needs statuses for what any of them may have taken. */
static uint32_t gather(struct lg_call *c, uint32_t n, int count, bool by_value)
{
  if (count == 1)
    return gather_one(c, n, by_value);
  struct lg_thr *t = c->thr;
  if (count < 0 || (uint32_t)count > MAX_LIST || !lg_scratch(t, (uint32_t)count))
    count = 0;
  bool ignored = statuses_tell && lg_status_ignored(c), all = ignored && !is_for_one(c), wanted = false;
  int i = 0;
  for (; i < count && (n < LG_MAX_PENDING || all); i++) {
    t->handles[i] = lg_handle_at(c, c->desc->request, i);
    struct lg_req *r = lg_req_get(LG_KEY_REQUEST, t->handles[i]);
    if (!r) {
      n = list_unknown(c, n, t->handles[i]);
      continue;
    }
    n = list_request(t->pub, n, r);
    wanted |= r->active && needs_status(r);
  }
  if (i < count) {
    n += copy_rest(c, i, count);
    wanted = ignored;
  }
  c->n = count;
  if (wanted)
    lg_want_status(c, is_for_one(c) ? 1 : (uint32_t)count);
  return n;
}

int lg_request_count(const struct lg_call *c)
{
  return c->desc->count >= 0 ? lg_int(c, c->desc->count) : 1;
}

void lg_before_wait(struct lg_call *c, uint32_t kind)
{
  lg_op_begin(c);
  uint32_t n = gather(c, 0, lg_request_count(c), false);
  lg_op_publish(c, n ? kind : LG_OP_LOCAL, n);
  lg_op_end(c);
}

/* named finds a request of the call again: while one thread alone uses the
 * table, a single one is still where it was. */
static struct lg_req *named(const struct lg_call *c, int i)
{
  if (c->n > 1)
    return lg_req_get(LG_KEY_REQUEST, c->thr->handles[i]);
  return likely(!lg_shared) ? c->req : lg_req_get(LG_KEY_REQUEST, c->handle);
}

/* matched counts what a wildcard of a request took; 0: it had none. */
static uint64_t matched(struct lg_call *c, const struct lg_req *r, const char *status)
{
  if (r->kind == LG_OP_RECV && lg_wild(r->peer, r->tag))
    return lg_matched(c, r->comm, (struct lg_asked){r->peer, r->tag, r->state, r->thread}, status);
  if (r->peer2 != LG_NONE && lg_wild(r->peer2, r->tag2))
    return lg_matched(c, r->comm, (struct lg_asked){r->peer2, r->tag2, r->state, r->thread}, status);
  return 0;
}

/* completed settles a request the call has completed: what its wildcards
 * matched, the communicator it made, and that it is gone. */
static void completed(struct lg_call *c, int i, const char *status)
{
  struct lg_req *r = named(c, i);
  if (!r)
    return;
  if (unlikely(!r->active)) {
    if (r->made)
      r->made->idle++;
    return;
  }
  bool gone = r->cancelled && status && lg_status_cancelled(status);
  if (gone)
    uncount(r);
  else
    lg_message_completed(r, status ? matched(c, r, status) : 0, status);
  if (status && r->wildcard) /* without a status it is not known what it took */
    end_wildcard(r);
  if (r->newcomm) {
    long handle = c->binding != LG_BIND_C || lg_fam.handle_bytes == 4 ? *(const int *)r->newcomm : *(const long *)r->newcomm;
    lg_comm_made_at(c, c->binding == LG_BIND_C ? handle : lg_fortran_comm((int)handle), r->ref, r->place, state_in(c->thr->pub, r));
  }
  if (r->persistent)
    r->active = false;
  else
    lg_req_drop(r);
}

void lg_completed_all(struct lg_call *c)
{
  for (int i = 0; i < c->n; i++)
    completed(c, i, lg_status_at(c, i));
}

bool lg_completed_any(struct lg_call *c)
{
  int i = lg_index(c, *(int *)c->args[c->desc->index]);
  if (i >= 0 && i < c->n)
    completed(c, i, lg_status_at(c, 0));
  return i >= 0;
}

bool lg_completed_some(struct lg_call *c)
{
  int n = *(int *)c->args[c->desc->outcount];
  const int *indices = (const int *)c->args[c->desc->indices];
  for (int k = 0; k < n && k < c->n; k++) {
    int i = lg_index(c, indices[k]);
    if (i >= 0 && i < c->n)
      completed(c, i, lg_status_at(c, k));
  }
  return n > 0;
}

uint32_t lg_list_tests(struct lg_call *c, uint32_t n)
{
  return gather(c, n, lg_request_count(c), false);
}

uint32_t lg_list_status_query(struct lg_call *c, uint32_t n)
{
  return gather(c, n, lg_request_count(c), !c->desc->params[c->desc->request].ref);
}
