#define _GNU_SOURCE
#include <stdlib.h>
#include "calls/operation.h"
#include "calls/rma.h"
#include "identity/channel.h"
#include "identity/comm.h"
#include "identity/members.h"
#include "identity/window.h"
#include "mpi/family.h"
#include "mpi/handle.h"

static struct lg_window *window_of(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  if (c->comm && !c->comm->win)
    c->comm->win = calloc(1, sizeof *c->comm->win);
  return c->comm ? c->comm->win : NULL;
}

/* open_epoch counts a message to come from each of the call's group. */
static bool open_epoch(struct lg_call *c, struct lg_epoch *e, int tag)
{
  int *rank, n = lg_members_in_window(lg_win_handle(c, c->desc->win), lg_group_handle(c, c->desc->group), &rank);
  lg_epoch_close(e);
  e->from = n > 0 ? malloc(sizeof *e->from * (size_t)n) : NULL;
  for (int i = 0; e->from && i < n; i++)
    if (rank[i] >= 0)
      e->from[e->n++] = (struct lg_pending){LG_OP_RECV, c->comm->index, rank[i], tag, lg_count_recv(c->st, c->comm->index, rank[i], tag), c->st->index, 0};
  free(rank);
  return n == 0 || e->from;
}

static uint32_t list_epoch(struct lg_call *c, uint32_t n, const struct lg_epoch *e)
{
  for (int i = 0; i < e->n; i++) {
    struct lg_pending p = e->from[i];
    p.state = c->st->index;
    lg_op_wait_for(c->thr->pub, n++, p);
  }
  return n;
}

static void await(struct lg_call *c, const struct lg_epoch *e)
{
  lg_op_begin(c);
  uint32_t n = list_epoch(c, 0, e);
  lg_op_publish(c, n ? LG_OP_WAIT : LG_OP_LOCAL, n);
  lg_op_end(c);
}

static void tell(struct lg_call *c, const struct lg_epoch *e, int tag)
{
  for (int i = 0; i < e->n; i++)
    lg_count_send(c->st, c->comm->index, e->from[i].peer, tag);
}

/* A post does not wait for its group. */
void lg_before_win_post(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && open_epoch(c, &w->exposure, LG_TAG_COMPLETE))
    tell(c, &w->exposure, LG_TAG_POST);
  lg_op_simple(c, LG_OP_LOCAL);
}

void lg_before_win_start(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && open_epoch(c, &w->access, LG_TAG_POST))
    await(c, &w->access);
  else
    lg_before_window(c);
}

/* Libraries may let a start pass and wait for the posts here. */
void lg_before_win_complete(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && w->access.from)
    await(c, &w->access);
  else
    lg_before_window(c);
}

void lg_after_win_complete(struct lg_call *c)
{
  if (!c->comm || !c->comm->win)
    return;
  tell(c, &c->comm->win->access, LG_TAG_COMPLETE);
  lg_epoch_close(&c->comm->win->access);
}

void lg_before_win_wait(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && w->exposure.from)
    await(c, &w->exposure);
  else
    lg_before_window(c);
}

uint32_t lg_list_window(struct lg_call *c, uint32_t n)
{
  struct lg_window *w = window_of(c);
  if (w && w->exposure.from)
    return list_epoch(c, n, &w->exposure);
  lg_op_wait_for(c->thr->pub, n, (struct lg_pending){LG_OP_RMA, c->comm ? c->comm->index : LG_NO_INDEX, LG_NONE, LG_NONE, 0, c->st->index, 0});
  return n + 1;
}

void lg_after_win_wait(struct lg_call *c)
{
  if (c->comm && c->comm->win)
    lg_epoch_close(&c->comm->win->exposure);
}

/* ---- locks ---- */

/* lock_tag tells the kind of lock under which this rank reaches a target. */
static int lock_tag(const struct lg_comm_ref *win, int target)
{
  const struct lg_lock *l = win ? lg_lock_held(win->index, target) : NULL;
  if (win && !l)
    l = lg_lock_held(win->index, LG_NONE);
  return l ? (int)l->type : LG_NONE;
}

static int target_of(const struct lg_call *c)
{
  return c->desc->peer >= 0 ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
}

/* What a call on a window waits for that no group tells: its target. */
static void at_target(struct lg_call *c, int tag)
{
  c->peer = target_of(c);
  c->tag = tag;
  if (c->peer == LG_PROC_NULL)
    return lg_op_simple(c, LG_OP_LOCAL);
  lg_op_one(c, LG_OP_RMA, (struct lg_pending){LG_OP_RMA, c->comm ? c->comm->index : LG_NO_INDEX, c->peer, tag, 0, c->st->index, 0});
}

void lg_before_window(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  at_target(c, lock_tag(c->comm, target_of(c)));
}

/* MPI_Win_lock_all takes shared locks; MPI_Win_lock says first which it takes. */
void lg_before_win_lock(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  bool exclusive = c->desc->peer >= 0 && lg_int(c, 0) == lg_fam.lock_exclusive;
  at_target(c, exclusive ? LG_LOCK_EXCLUSIVE : LG_LOCK_SHARED);
}

void lg_after_win_lock(struct lg_call *c)
{
  if (c->comm && c->peer != LG_PROC_NULL)
    lg_lock_take(c->comm->index, c->peer, (uint32_t)c->tag);
}

void lg_after_win_unlock(struct lg_call *c)
{
  if (c->comm)
    lg_lock_give_up(c->comm->index, c->peer);
}

/* What an operation needs that the library does not put off: the post of its
 * target in an epoch of posts and starts, else the target and its lock. */
static struct lg_pending operation(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  c->peer = target_of(c);
  c->tag = lock_tag(c->comm, c->peer);
  struct lg_pending e = {LG_OP_RMA, c->comm ? c->comm->index : LG_NO_INDEX, c->peer, c->tag, 0, c->st->index, 0};
  const struct lg_epoch *access = c->comm && c->comm->win ? &c->comm->win->access : NULL;
  for (int i = 0; access && i < access->n; i++)
    if (access->from[i].peer == c->peer) {
      e = access->from[i];
      e.state = c->st->index;
      break;
    }
  return e;
}

/* Operations should not block, but libraries are known to let some wait for
 * their target. A put or a get is not progress, only its completion is. In a
 * polling loop the list of what is polled stays as it is. */
void lg_before_rma(struct lg_call *c)
{
  struct lg_thread *p = c->thr->pub;
  bool counts = c->desc->cls != CLS_rma;
  if (!counts && lg_op_polling(c->thr))
    return lg_op_local(c);
  lg_op_begin(c);
  struct lg_pending e = operation(c);
  bool nobody = c->peer == LG_PROC_NULL;
  lg_op_wait_for(p, 0, e);
  lg_op_publish(c, nobody ? LG_OP_LOCAL : LG_OP_RMA, nobody ? 0 : 1);
  if (counts)
    lg_op_end(c);
  else
    lg_seq_end(&p->seq);
}
