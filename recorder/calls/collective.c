#include "base/clock.h"
#include "calls/collective.h"
#include "calls/operation.h"
#include "calls/wait.h"
#include "file/rank.h"
#include "identity/collective.h"
#include "identity/comm.h"
#include "identity/freed.h"
#include "identity/members.h"
#include "mpi/family.h"
#include "mpi/handle.h"

/* begin counts a collective on a communicator, and keeps it in its history. */
static inline uint64_t begin(struct lg_call *c, struct lg_comm_ref *comm, int root)
{
  return comm->alone ? ++comm->live->coll : lg_collective_begin(c, comm, root);
}

static struct lg_pending begun_coll(struct lg_call *c, struct lg_comm_ref *comm, int root)
{
  return (struct lg_pending){LG_OP_COLL, comm->index, root, LG_NONE, begin(c, comm, root), c->st->index, 0};
}

/* root_of is the root of a collective; LG_NONE where it has none. */
static int root_of(const struct lg_call *c)
{
  return c->desc->peer >= 0 ? lg_peer(lg_int(c, c->desc->peer)) : LG_NONE;
}

void lg_before_coll(struct lg_call *c, int where)
{
  c->comm = lg_comm_of(c->st, c, where);
  if (!c->comm)
    return lg_op_simple(c, LG_OP_OTHER);
  lg_op_one(c, LG_OP_COLL, begun_coll(c, c->comm, where == c->desc->comm ? root_of(c) : LG_NONE));
}

void lg_before_icoll(struct lg_call *c, int where)
{
  c->comm = lg_comm_of(c->st, c, where);
  if (c->comm)
    c->handle = (long)begin(c, c->comm, c->desc->cls == CLS_icoll ? root_of(c) : LG_NONE);
  lg_op_simple(c, LG_OP_LOCAL);
}

void lg_after_icoll(struct lg_call *c)
{
  bool makes = c->desc->cls == CLS_newcomm_nb;
  uint32_t place = makes && c->comm ? lg_comm_next_place(c->comm) : 0;
  struct lg_req *r = c->comm ? lg_remember(c, LG_OP_COLL) : NULL;
  if (!r)
    return;
  r->seq = (uint64_t)c->handle;
  if (makes) { /* the handle may have been another's, and is one when the request is complete */
    r->newcomm = (const void *)c->args[c->desc->newcomm];
    r->place = place;
    lg_freed_forget(P_comm, lg_comm_made_handle(c, c->desc->newcomm));
  } else {
    r->peer = root_of(c);
  }
}

/* The members of the groups alone make the communicator: it is waited for as a
 * first collective on it. */
void lg_before_newcomm_groups(struct lg_call *c)
{
  int second = c->desc->group2;
  c->comm = lg_comm_of(c->st, c, c->desc->comm);
  struct lg_comm_ref *forming = lg_comm_forming(c, lg_group_handle(c, c->desc->group), second < 0 ? 0 : lg_group_handle(c, second),
                                                c->comm, c->st->index);
  if (!forming)
    return lg_op_simple(c, LG_OP_OTHER);
  c->handle = (long)forming;
  lg_op_one(c, LG_OP_COLL, begun_coll(c, forming, LG_NONE));
}

/* MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, …) is
 * a collective of the local communicator, whose leader meets the remote one. */
void lg_before_newcomm_leaders(struct lg_call *c)
{
  struct lg_comm_ref *forming = NULL;
  uint32_t n = 0;
  c->comm = lg_comm_of(c->st, c, 0);
  if (!c->comm)
    return lg_op_simple(c, LG_OP_OTHER);
  if (lg_comm_rank(c->comm->handle) == lg_int(c, 1)) {
    struct lg_comm_ref *peer = lg_comm_find(LG_HANDLE_COMM, lg_comm_handle(c, 2));
    forming = lg_comm_meeting(c, lg_comm_handle(c, 2), lg_int(c, 3), peer, c->st->index);
  }
  lg_op_begin(c);
  lg_op_wait_for(c->thr->pub, n++, begun_coll(c, c->comm, LG_NONE));
  if (forming)
    lg_op_wait_for(c->thr->pub, n++, begun_coll(c, forming, LG_NONE));
  lg_op_publish(c, LG_OP_WAIT, n);
  lg_op_end(c);
  c->handle = (long)forming;
}

static void after_forming(struct lg_call *c, struct lg_comm_ref *parent)
{
  if (c->handle)
    lg_comm_free((struct lg_comm_ref *)c->handle);
  if (!c->code)
    lg_comm_made(c, lg_comm_made_handle(c, c->desc->newcomm), parent, c->st->index);
}

void lg_after_like(struct lg_call *c, int what, int where)
{
  if (c->comm)
    lg_comm_like(c, what, lg_handle_at(c, where, 0), c->comm, c->st->index);
}

void lg_find_freed(struct lg_call *c, int what, int where)
{
  long handle = what == LG_HANDLE_COMM ? lg_comm_made_handle(c, where) : lg_handle_at(c, where, 0);
  c->comm = lg_comm_find(what, handle);
  if (!c->comm)
    return;
  c->born = c->comm->born;
  c->comm->freed_thread = c->thr->pub->index;
  c->comm->freed_state = c->st->index;
}

void lg_before_free(struct lg_call *c, int what, int where)
{
  lg_find_freed(c, what, where);
  if (!c->comm)
    return lg_op_simple(c, LG_OP_OTHER);
  lg_op_one(c, LG_OP_COLL, begun_coll(c, c->comm, LG_NONE));
}

void lg_after_newcomm(struct lg_call *c)
{
  lg_comm_made(c, lg_comm_made_handle(c, c->desc->newcomm), c->comm, c->st->index);
}

/* The two sides have no communicator in common that it was made from, so that its members and their order name it. */
void lg_after_newcomm_dynamic(struct lg_call *c)
{
  lg_comm_made(c, lg_comm_made_handle(c, c->desc->newcomm), NULL, c->st->index);
}

/* The root of the spawn is known to the processes that it started: it says when they were there. */
void lg_after_spawn(struct lg_call *c)
{
  lg_after_newcomm(c);
  struct lg_comm_ref *made = lg_comm_find(LG_HANDLE_COMM, lg_comm_made_handle(c, c->desc->newcomm));
  if (!made || !c->comm || c->comm->rank != root_of(c))
    return;
  made->live->spawned_ns = lg_now();
  lg_rank->spawns++;
}

/* MPI_Comm_spawn made it, in another program. */
void lg_after_get_parent(struct lg_call *c)
{
  long handle = lg_comm_made_handle(c, c->desc->newcomm);
  if (!lg_comm_find(LG_HANDLE_COMM, handle))
    lg_comm_parent(c, handle, c->st->index);
}

void lg_after_newcomm_groups(struct lg_call *c)
{
  after_forming(c, c->comm);
}

void lg_after_newcomm_leaders(struct lg_call *c)
{
  after_forming(c, NULL);
}

/* MPI may give the handle to another thread before this one is here: that one has then freed the record, and perhaps used it again. */
void lg_after_free(struct lg_call *c)
{
  if (c->comm && !c->comm->freed && c->comm->born == c->born)
    lg_comm_free(c->comm);
}
