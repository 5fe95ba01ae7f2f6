/* What happens around an MPI call: before it the state, the transition and the
 * operation are written down, so that a rank that never comes back has said
 * what it waits for; after it, what the call made or completed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "movement/message.h"
#include "members.h"
#include "usage/usage.h"

/* ---- collectives, communicators, files ---- */

static struct lg_pending begun_coll(const struct lg_call *c, struct lg_comm_ref *comm, int root)
{
  return (struct lg_pending){LG_OP_COLL, comm->index, root, LG_NONE, ++comm->live->coll, c->st->index, 0};
}

static void before_coll(struct lg_call *c, int where)
{
  c->comm = lg_comm_of(c->st, c, where);
  if (!c->comm)
    return simple(c, LG_OP_OTHER);
  int root = c->desc->peer >= 0 && where == c->desc->comm ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
  one(c, LG_OP_COLL, begun_coll(c, c->comm, root));
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
  else if (c->desc->peer >= 0)
    r->peer = lg_peer(lg_int(c, c->desc->peer));
}

/* The members of the groups alone make the communicator: it is waited for as a
 * first collective on it. */
static void before_newcomm_groups(struct lg_call *c)
{
  int second = c->desc->group2;
  c->comm = lg_comm_of(c->st, c, c->desc->comm);
  struct lg_comm_ref *forming = lg_comm_forming(c, lg_group_handle(c, c->desc->group), second < 0 ? 0 : lg_group_handle(c, second),
                                                c->comm ? c->comm->id : 0, c->st->index);
  if (!forming)
    return simple(c, LG_OP_OTHER);
  c->handle = (long)forming;
  one(c, LG_OP_COLL, begun_coll(c, forming, LG_NONE));
}

/* MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, …) is
 * a collective of the local communicator, whose leader meets the remote one. */
static void before_newcomm_leaders(struct lg_call *c)
{
  struct lg_comm_ref *forming = NULL;
  uint32_t n = 0;
  c->comm = lg_comm_of(c->st, c, 0);
  if (!c->comm)
    return simple(c, LG_OP_OTHER);
  if (lg_comm_rank(c->comm->handle) == lg_int(c, 1)) {
    struct lg_comm_ref *peer = lg_comm_find(LG_HANDLE_COMM, lg_comm_handle(c, 2));
    forming = lg_comm_meeting(c, lg_comm_handle(c, 2), lg_int(c, 3), peer ? peer->id : 0, c->st->index);
  }
  begin(c);
  put_pending(c->thr->pub, n++, begun_coll(c, c->comm, LG_NONE));
  if (forming)
    put_pending(c->thr->pub, n++, begun_coll(c, forming, LG_NONE));
  publish(c, LG_OP_WAIT, n);
  end(c);
  c->handle = (long)forming;
}

static void after_forming(struct lg_call *c, struct lg_comm_ref *parent)
{
  if (c->handle)
    lg_comm_free((struct lg_comm_ref *)c->handle);
  lg_comm_made(c, lg_comm_made_handle(c, c->desc->newcomm), parent, c->st->index);
}

static void after_like(struct lg_call *c, int what, int where)
{
  if (c->comm)
    lg_comm_like(c, what, lg_handle_at(c, where, 0), c->comm, c->st->index);
}

/* Freeing takes a pointer to the handle, which is gone afterwards. */
static void before_free(struct lg_call *c, int what, int where)
{
  long handle = what == LG_HANDLE_COMM ? lg_comm_made_handle(c, where) : lg_handle_at(c, where, 0);
  c->comm = lg_comm_find(what, handle);
  if (!c->comm)
    return simple(c, LG_OP_OTHER);
  one(c, LG_OP_COLL, begun_coll(c, c->comm, LG_NONE));
}

/* ---- the two ends of a call ---- */

static void dispatch_before(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_send: return before_send(c, true);
  case CLS_isend: return before_send(c, false);
  case CLS_bsend: case CLS_ibsend: return before_bsend(c);
  case CLS_detach: return before_detach(c);
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
  case CLS_coll: case CLS_newcomm: case CLS_newcomm_dynamic: case CLS_newwin: case CLS_newfile:
    return before_coll(c, d->comm);
  case CLS_win_coll: return before_coll(c, d->win);
  case CLS_file_coll: return before_coll(c, d->file);
  case CLS_icoll: case CLS_newcomm_nb: return before_icoll(c, d->comm);
  case CLS_file_icoll: return before_icoll(c, d->file);
  case CLS_newcomm_groups: return before_newcomm_groups(c);
  case CLS_newcomm_leaders: return before_newcomm_leaders(c);
  case CLS_other: return simple(c, LG_OP_OTHER);
  case CLS_win_post: return before_post(c);
  case CLS_win_start: return before_start(c);
  case CLS_win_complete: return before_complete(c);
  case CLS_win_wait: return before_win_wait(c);
  case CLS_win_lock: return before_lock(c);
  case CLS_win_flush: case CLS_win_unlock: return before_window(c);
  case CLS_rma: case CLS_rma_now: case CLS_rma_nb: return before_rma(c);
  case CLS_session_finalize: lg_session_ends(lg_session_handle(c, d->nargs - 1)); return simple(c, LG_OP_OTHER);
  case CLS_comm_free: return before_free(c, LG_HANDLE_COMM, d->newcomm);
  case CLS_win_free: return before_free(c, LG_HANDLE_WIN, d->win);
  case CLS_file_free: return before_free(c, LG_HANDLE_FILE, d->file);
  case CLS_init: return simple(c, LG_OP_INIT);
  case CLS_finalize: lg_rank->status = LG_FINALIZING; return simple(c, LG_OP_FINALIZE);
  case CLS_abort: lg_said_end(LG_ABORTED, lg_int(c, 1)); return simple(c, LG_OP_ABORT);
  case CLS_coll_init: case CLS_send_init: case CLS_bsend_init: case CLS_recv_init:
    c->comm = lg_comm_of(c->st, c, d->comm);
    return simple(c, LG_OP_LOCAL);
  case CLS_file_nb: return simple(c, LG_OP_LOCAL);
  default: return local(c);
  }
}

static void received(struct lg_call *c)
{
  uint64_t seq = c->desc->cls == CLS_recv ? (uint64_t)c->handle : c->seq2;
  if (c->comm && wild(c->peer, c->tag) && status_at(c, 0))
    seq = matched(c, c->comm->index, status_at(c, 0));
  lg_message_received(c, seq);
}

static void dispatch_after(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  switch (d->cls) {
  case CLS_isend: case CLS_ibsend: return after_begun(c, LG_OP_SEND);
  case CLS_detach: return after_detach();
  case CLS_irecv: case CLS_imrecv: return after_begun(c, LG_OP_RECV);
  case CLS_isendrecv: return after_isendrecv(c);
  case CLS_send_init: case CLS_bsend_init: return after_init_request(c, LG_OP_SEND);
  case CLS_recv_init: return after_init_request(c, LG_OP_RECV);
  case CLS_coll_init: return after_init_request(c, LG_OP_COLL);
  case CLS_recv: case CLS_sendrecv: return received(c);
  case CLS_mrecv: return lg_message_received(c, (uint64_t)c->handle);
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
  case CLS_iprobe: case CLS_get_status: case CLS_parrived: return polled(c, *(int *)c->args[d->flag] != 0);
  case CLS_win_test: {
    bool got = *(int *)c->args[d->flag] != 0;
    if (got)
      after_win_wait(c);
    return polled(c, got);
  }
  case CLS_improbe: {
    bool got = *(int *)c->args[d->flag] != 0;
    if (got)
      found_message(c);
    return polled(c, got);
  }
  case CLS_mprobe: return found_message(c);
  case CLS_icoll: case CLS_newcomm_nb: case CLS_file_icoll: return after_icoll(c);
  case CLS_newcomm: case CLS_newcomm_dynamic:
    return lg_comm_made(c, lg_comm_made_handle(c, d->newcomm), c->comm, c->st->index);
  case CLS_newcomm_groups: return after_forming(c, c->comm);
  case CLS_newcomm_leaders: return after_forming(c, NULL);
  case CLS_win_complete: return after_complete(c);
  case CLS_win_wait: return after_win_wait(c);
  case CLS_win_lock: return after_lock(c);
  case CLS_win_unlock: return after_unlock(c);
  case CLS_session_init: return lg_session_begun(lg_session_handle(c, d->nargs - 1));
  case CLS_session_finalize: return lg_session_ended();
  case CLS_newwin: return after_like(c, LG_HANDLE_WIN, d->win);
  case CLS_newfile: return after_like(c, LG_HANDLE_FILE, d->file);
  case CLS_comm_free: case CLS_win_free: case CLS_file_free:
    if (c->comm)
      lg_comm_free(c->comm);
    return;
  case CLS_rma_nb: return after_begun(c, LG_OP_RMA);
  case CLS_file_nb: remember(c, LG_OP_OTHER); return;
  case CLS_type_free: return lg_type_freed();
  case CLS_init: return lg_start_done();
  case CLS_finalize: lg_rank->status = LG_FINALIZED; return;
  default: return;
  }
}

/* A request that is only made sends when it is started. */
static inline void count_bytes(struct lg_call *c)
{
  int cls = c->desc->cls;
  if (cls == CLS_send_init || cls == CLS_bsend_init || cls == CLS_coll_init)
    return;
  bool collective = cls == CLS_coll || cls == CLS_icoll;
  lg_sent(c, collective ? LG_NONE : lg_peer(lg_int(c, c->desc->peer)), lg_send_bytes(c));
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
  if (unlikely(lg_off) || lg_within(t, (uint64_t)cfa))
    return false;
  struct lg_st *st = lg_state_find(t, d, binding > LG_BIND_F08 ? LG_BIND_F08 : binding, (uint64_t)ra, (uint64_t)cfa);
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
  c->recorded = false;
  t->outer_cfa = (uint64_t)cfa;
  t->outer_ra = (uint64_t)ra;
  transition(t, st);
  if (t->vain.st) {
    if (poll_again(c))
      return true;
    t->vain.st = NULL;
  }
  if (!uses_tables(d->cls) && !lg_usage_on) {
    local(c);
    return true;
  }
  lg_lock_tables();
  dispatch_before(c);
  if (unlikely(lg_volume) && d->sends)
    count_bytes(c);
  if (lg_usage_on)
    lg_usage_before(c);
  lg_unlock_tables();
  return true;
}

void lg_after(struct lg_call *c)
{
  struct lg_thr *t = c->thr;
  if ((c->recorded || uses_tables(c->desc->cls)) && likely(!lg_off)) {
    lg_lock_tables();
    if (c->recorded)
      lg_usage_ended(c); /* what the call completed is still known */
    dispatch_after(c);
    if (c->recorded)
      lg_usage_after(c);
    lg_unlock_tables();
  }
  t->outer_cfa = 0;
  __atomic_store_n(&t->pub->in_mpi, 0, __ATOMIC_RELEASE);
}

struct lg_thr *lg_light_begin(void *cfa)
{
  struct lg_thr *t = lg_self;
  if (!t || lg_off || lg_within(t, (uint64_t)cfa))
    return NULL;
  t->pub->light++;
  t->outer_cfa = (uint64_t)cfa;
  t->outer_ra = ((uint64_t *)cfa)[-1];
  return t;
}
