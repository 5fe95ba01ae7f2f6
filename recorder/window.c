/* One-sided synchronisation. A post is kept as a message to each of the group,
 * which MPI_Win_start receives, and MPI_Win_complete sends one back: so counts
 * at both ends tell who has not come. Of locks each rank says which it has; who
 * waits for one finds the holder in the others' lists. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "operation.h"
#include "members.h"

struct epoch { /* what is awaited from the members of a group */
  int n;
  struct lg_pending *from;
};

struct lg_window {
  struct epoch access, exposure;
};

static void close_epoch(struct epoch *e)
{
  free(e->from);
  *e = (struct epoch){0};
}

static struct lg_window *window_of(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  if (c->comm && !c->comm->win)
    c->comm->win = calloc(1, sizeof *c->comm->win);
  return c->comm ? c->comm->win : NULL;
}

/* open_epoch counts a message to come from each of the call's group. */
static bool open_epoch(struct lg_call *c, struct epoch *e, int tag)
{
  int *rank, n = lg_members_in_window(lg_win_handle(c, c->desc->win), lg_group_handle(c, c->desc->group), &rank);
  close_epoch(e);
  e->from = n > 0 ? malloc(sizeof *e->from * (size_t)n) : NULL;
  for (int i = 0; e->from && i < n; i++)
    if (rank[i] >= 0)
      e->from[e->n++] = (struct lg_pending){LG_OP_RECV, c->comm->index, rank[i], tag, count_recv(c, c->comm->index, rank[i], tag), c->st->index, 0};
  free(rank);
  return n == 0 || e->from;
}

static uint32_t list_epoch(struct lg_call *c, uint32_t n, const struct epoch *e)
{
  for (int i = 0; i < e->n; i++) {
    struct lg_pending p = e->from[i];
    p.state = c->st->index;
    put_pending(c->thr->pub, n++, p);
  }
  return n;
}

static void await(struct lg_call *c, const struct epoch *e)
{
  begin(c);
  uint32_t n = list_epoch(c, 0, e);
  publish(c, n ? LG_OP_WAIT : LG_OP_LOCAL, n);
  end(c);
}

static void tell(struct lg_call *c, const struct epoch *e, int tag)
{
  for (int i = 0; i < e->n; i++)
    count_send(c, c->comm->index, e->from[i].peer, tag);
}

/* A post does not wait for its group. */
void before_post(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && open_epoch(c, &w->exposure, LG_TAG_COMPLETE))
    tell(c, &w->exposure, LG_TAG_POST);
  simple(c, LG_OP_LOCAL);
}

void before_start(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && open_epoch(c, &w->access, LG_TAG_POST))
    await(c, &w->access);
  else
    before_window(c);
}

/* Libraries may let a start pass and wait for the posts here. */
void before_complete(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && w->access.from)
    await(c, &w->access);
  else
    before_window(c);
}

void after_complete(struct lg_call *c)
{
  if (!c->comm || !c->comm->win)
    return;
  tell(c, &c->comm->win->access, LG_TAG_COMPLETE);
  close_epoch(&c->comm->win->access);
}

void before_win_wait(struct lg_call *c)
{
  struct lg_window *w = window_of(c);
  if (w && w->exposure.from)
    await(c, &w->exposure);
  else
    before_window(c);
}

uint32_t list_window(struct lg_call *c, uint32_t n)
{
  struct lg_window *w = window_of(c);
  if (w && w->exposure.from)
    return list_epoch(c, n, &w->exposure);
  put_pending(c->thr->pub, n, (struct lg_pending){LG_OP_RMA, c->comm ? c->comm->index : UINT32_MAX, LG_NONE, LG_NONE, 0, c->st->index, 0});
  return n + 1;
}

void after_win_wait(struct lg_call *c)
{
  if (c->comm && c->comm->win)
    close_epoch(&c->comm->win->exposure);
}

/* ---- locks ---- */

#define MAX_LOCKS 4096u

static struct lg_lock *locks[MAX_LOCKS];
static uint32_t nlocks; /* entries in the file, used or not */
static uint32_t top;    /* no entry from here on is in use */
static uint16_t last_seen[MAX_LOCKS]; /* where a lock was found, by a hash of what it is on */

static bool is(const struct lg_lock *l, uint32_t comm, int target)
{
  return l->comm == comm + 1 && l->target == target;
}

static struct lg_lock *find(uint32_t comm, int target)
{
  uint16_t *seen = &last_seen[(comm * 61 + (uint32_t)target) % MAX_LOCKS];
  if (*seen < top && is(locks[*seen], comm, target))
    return locks[*seen];
  for (uint32_t i = 0; i < top; i++)
    if (is(locks[i], comm, target)) {
      *seen = (uint16_t)i;
      return locks[i];
    }
  return NULL;
}

static bool more_locks(void)
{
  lg_lock_file();
  struct lg_locks *block = nlocks < MAX_LOCKS ? lg_rec_begin(LG_REC_LOCKS, 0, 0, sizeof *block) : NULL;
  if (block)
    lg_rec_commit(block);
  lg_unlock_file();
  for (int i = 0; block && i < LG_LOCKS; i++)
    locks[nlocks++] = &block->entry[i];
  return block;
}

static void set(struct lg_lock *l, uint32_t comm, int target, uint32_t type)
{
  __atomic_store_n(&l->seq, l->seq + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  l->comm = comm;
  l->target = target;
  l->type = type;
  __atomic_store_n(&l->seq, l->seq + 1, __ATOMIC_RELEASE);
}

static void take(uint32_t comm, int target, uint32_t type)
{
  uint32_t i = 0;
  while (i < top && locks[i]->comm)
    i++;
  if (i == nlocks && !more_locks()) {
    lg_rank->evicted++; /* what this rank says of itself is not complete */
    return;
  }
  set(locks[i], comm + 1, target, type);
  if (i == top)
    top++;
}

static void give_up(struct lg_lock *l)
{
  set(l, 0, 0, 0);
  while (top && !locks[top - 1]->comm)
    top--;
}

/* lock_tag tells the kind of lock under which this rank reaches a target. */
static int lock_tag(const struct lg_comm_ref *win, int target)
{
  struct lg_lock *l = win ? find(win->index, target) : NULL;
  if (win && !l)
    l = find(win->index, LG_NONE);
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
    return simple(c, LG_OP_LOCAL);
  one(c, LG_OP_RMA, (struct lg_pending){LG_OP_RMA, c->comm ? c->comm->index : UINT32_MAX, c->peer, tag, 0, c->st->index, 0});
}

void before_window(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  at_target(c, lock_tag(c->comm, target_of(c)));
}

/* MPI_Win_lock_all takes shared locks; MPI_Win_lock says first which it takes. */
void before_lock(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  bool exclusive = c->desc->peer >= 0 && lg_int(c, 0) == lg_fam.lock_exclusive;
  at_target(c, exclusive ? LG_LOCK_EXCLUSIVE : LG_LOCK_SHARED);
}

void after_lock(struct lg_call *c)
{
  if (c->comm && c->peer != LG_PROC_NULL)
    take(c->comm->index, c->peer, (uint32_t)c->tag);
}

void after_unlock(struct lg_call *c)
{
  struct lg_lock *l = c->comm ? find(c->comm->index, c->peer) : NULL;
  if (l)
    give_up(l);
}

/* What an operation needs that the library does not put off: the post of its
 * target in an epoch of posts and starts, else the target and its lock. */
static struct lg_pending operation(struct lg_call *c)
{
  c->comm = lg_comm_of(c->st, c, c->desc->win);
  c->peer = target_of(c);
  c->tag = lock_tag(c->comm, c->peer);
  struct lg_pending e = {LG_OP_RMA, c->comm ? c->comm->index : UINT32_MAX, c->peer, c->tag, 0, c->st->index, 0};
  const struct epoch *access = c->comm && c->comm->win ? &c->comm->win->access : NULL;
  for (int i = 0; access && i < access->n; i++)
    if (access->from[i].peer == c->peer) {
      e = access->from[i];
      e.state = c->st->index;
      break;
    }
  return e;
}

/* Operations should not block, but libraries are known to let some wait for
 * their target. A put or a get alone counts for no progress: its completion
 * does. In a loop that polls, it leaves standing what is polled. */
void before_rma(struct lg_call *c)
{
  struct lg_thread *p = c->thr->pub;
  bool counts = c->desc->cls != CLS_rma;
  if (!counts && c->thr->poll_mark == p->progress + 1)
    return local(c);
  begin(c);
  struct lg_pending e = operation(c);
  bool nobody = c->peer == LG_PROC_NULL;
  put_pending(p, 0, e);
  publish(c, nobody ? LG_OP_LOCAL : LG_OP_RMA, nobody ? 0 : 1);
  if (counts)
    end(c);
  else
    lg_seq_end(&p->seq);
}

void lg_window_drop(struct lg_comm_ref *r)
{
  if (r->what != LG_HANDLE_WIN)
    return;
  for (uint32_t i = 0; i < top; i++)
    if (locks[i]->comm == r->index + 1)
      set(locks[i], 0, 0, 0);
  while (top && !locks[top - 1]->comm)
    top--;
  if (!r->win)
    return;
  close_epoch(&r->win->access);
  close_epoch(&r->win->exposure);
  free(r->win);
  r->win = NULL;
}
