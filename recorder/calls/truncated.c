#include "base/seq.h"
#include "calls/p2p.h"
#include "calls/reach.h"
#include "calls/truncated.h"
#include "file/rank.h"
#include "format.h"
#include "identity/channel.h"
#include "identity/comm.h"
#include "identity/request.h"
#include "identity/thread.h"
#include "mpi/extent.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"
#include "mpi/type.h"

/* is_truncated tells whether a status has that error. Its MPI_ERROR is behind its tag in every ABI. */
static bool is_truncated(const char *status)
{
  int code = lg_status_int(status, lg_fam.status_tag + (int)sizeof(int));
  return (code & lg_fam.class_mask) == lg_fam.err_truncate;
}

/* may_be tells whether the k-th request may be the one that failed: its status says so, or, where there is none, it is not null as those
 * are that are complete. */
static bool may_be(const struct lg_call *c, int k)
{
  bool all = c->desc->cls == CLS_waitall || c->desc->cls == CLS_testall;
  if (c->n == 1 || !all)
    return true;
  const char *status = lg_status_at(c, k);
  return status ? is_truncated(status) : !lg_request_null(c, lg_handle_at(c, c->desc->request, k));
}

/* failed_request finds the only receive of the call that may have failed; NULL: there are several, or none. */
static const struct lg_req *failed_request(const struct lg_thr *t, const struct lg_call *c, int *which)
{
  const struct lg_req *found = NULL;
  for (int k = 0; k < c->n; k++) {
    const struct lg_req *r = lg_req_get(LG_KEY_REQUEST, c->n == 1 ? c->handle : t->handles[k]);
    if (!r || !r->active || (r->kind != LG_OP_RECV && r->peer2 == LG_NONE) || !may_be(c, k))
      continue;
    if (found)
      return NULL;
    found = r;
    *which = k;
  }
  return found;
}

/* name_sender sets the sender, the tag and the number of a message that a wildcard received. A status in which all is 0 need not be one. */
static void name_sender(const struct lg_call *c, struct lg_pending *e, const char *status)
{
  int source = lg_status_int(status, lg_fam.status_source), tag = lg_status_int(status, lg_fam.status_tag);
  if (source < 0 || tag < 0 || (!source && !tag && !lg_status_bytes(status)))
    return;
  e->peer = source;
  e->tag = tag;
  e->seq = lg_count_recv(c->st, e->comm, source, tag);
}

static void publish(const struct lg_thr *t, const struct lg_call *c, struct lg_pending e, const char *status)
{
  struct lg_thread *p = t->pub;
  if (status && lg_wild(e.peer, e.tag))
    name_sender(c, &e, status);
  lg_seq_begin(&p->seq);
  p->pending[0] = e;
  p->npending = p->nlisted = 1;
  lg_seq_end(&p->seq);
}

/* size_of asks MPI how large a datatype is. With several threads MPICH may hold its lock, and cannot be asked. */
static int64_t size_of(const struct lg_thr *t, const struct lg_call *c, long type)
{
  bool locked = lg_fam.id != LG_FAMILY_OPENMPI && lg_rank->thread_level >= LG_THREAD_MULTIPLE;
  if (locked || lg_extent_freed_in(type, t->pub->index) != LG_NOT_FREED)
    return -1;
  return (int64_t)lg_type_ask_size(c, type);
}

/* of_request is of a call that completes requests. */
static bool of_request(const struct lg_thr *t, const struct lg_call *c, struct lg_truncated *out)
{
  int k = 0;
  const struct lg_req *r = failed_request(t, c, &k);
  if (!r)
    return false;
  bool half = r->kind != LG_OP_RECV; /* of MPI_Isendrecv, of which no buffer is kept */
  bool all = c->n == 1 || c->desc->cls == CLS_waitall || c->desc->cls == CLS_testall;
  uint32_t state = r->thread == t->pub->index ? r->state : LG_NO_INDEX;
  const char *status = all ? lg_status_at(c, k) : NULL;
  publish(t, c, (struct lg_pending){LG_OP_RECV, r->comm, half ? r->peer2 : r->peer, half ? r->tag2 : r->tag, half ? r->seq2 : r->seq, state, 0},
          status);
  int64_t size = r->buffer && !half ? size_of(t, c, r->type) : -1;
  *out = (struct lg_truncated){c->desc->request, c->desc->count >= 0 ? k : -1, status ? lg_status_bytes(status) : -1,
                               size < 0 ? -1 : (int64_t)r->count * size};
  return true;
}

/* of_receive is of a call that receives itself. */
static bool of_receive(const struct lg_thr *t, const struct lg_call *c, struct lg_truncated *out)
{
  const struct lg_desc *d = c->desc;
  const char *status = lg_status_at(c, 0);
  int64_t count;
  if (!c->comm || !lg_number(c, d->recv_count, -1, &count))
    return false;
  uint64_t seq = d->cls == CLS_sendrecv ? c->seq2 : (uint64_t)c->handle;
  publish(t, c, (struct lg_pending){LG_OP_RECV, c->comm->index, c->peer, c->tag, seq, c->st->index, 0}, status);
  int64_t size = size_of(t, c, lg_type_handle(c, d->recv_type, -1));
  *out = (struct lg_truncated){d->recv_count, -1, status ? lg_status_bytes(status) : -1, size < 0 ? -1 : count * size};
  return true;
}

bool lg_find_truncated(const struct lg_thr *t, const struct lg_call *c, int class, struct lg_truncated *out)
{
  switch (c->desc->cls) {
  case CLS_recv: case CLS_mrecv: case CLS_sendrecv:
    return class == lg_fam.err_truncate && of_receive(t, c, out);
  case CLS_waitall: case CLS_testall:
    if (class == lg_fam.err_in_status && !lg_status_at(c, 0))
      return false;
    return of_request(t, c, out);
  case CLS_wait: case CLS_waitany: case CLS_waitsome: case CLS_test: case CLS_testany: case CLS_testsome:
    return class == lg_fam.err_truncate && of_request(t, c, out);
  default:
    return false;
  }
}
