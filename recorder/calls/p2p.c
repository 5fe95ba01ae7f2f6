#include "calls/operation.h"
#include "calls/p2p.h"
#include "identity/channel.h"
#include "identity/comm.h"
#include "identity/request.h"
#include "identity/scratch.h"
#include "identity/taken.h"
#include "movement/message.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/status.h"

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
  return (struct lg_pending){LG_OP_SEND, h->comm, h->peer, h->tag, lg_count_send(c->st, h->comm, h->peer, h->tag), c->st->index, 0};
}

static struct lg_pending received(struct lg_call *c, const struct half *h)
{
  return (struct lg_pending){LG_OP_RECV, h->comm, h->peer, h->tag, lg_count_recv(c->st, h->comm, h->peer, h->tag), c->st->index, 0};
}

static struct lg_asked asked(const struct lg_call *c)
{
  return (struct lg_asked){c->peer, c->tag, c->st->index, c->thr->pub->index};
}

/* match counts the message that a status names on its channel; number 0: it names none. */
static struct lg_take match(struct lg_call *c, uint32_t comm, struct lg_asked by, const char *status)
{
  int source = lg_status_int(status, lg_fam.status_source), tag = lg_status_int(status, lg_fam.status_tag);
  return (struct lg_take){
      .comm = comm + 1, .peer = source, .tag = tag, .state = by.state, .thread = (uint16_t)by.thread,
      .number = source < 0 || tag < 0 ? 0 : lg_count_recv(c->st, comm, source, tag),
      .wild = (uint16_t)((by.peer == LG_ANY ? LG_ANY_SOURCE : 0) | (by.tag == LG_ANY ? LG_ANY_TAG : 0))};
}

uint64_t lg_matched(struct lg_call *c, uint32_t comm, struct lg_asked by, const char *status)
{
  struct lg_take m = match(c, comm, by, status);
  if (m.number)
    lg_take(m);
  return m.number;
}

void lg_before_send(struct lg_call *c, bool blocks)
{
  struct half h;
  if (!half_of(c, c->desc->peer, c->desc->tag, &h))
    return lg_op_simple(c, LG_OP_LOCAL);
  struct lg_pending e = sent(c, &h);
  if (blocks)
    lg_op_one(c, LG_OP_SEND, e);
  else
    lg_op_simple(c, LG_OP_LOCAL);
  c->handle = (long)e.seq;
  c->peer = h.peer;
  c->tag = h.tag;
  lg_message_sent(c, e.seq);
}

/* ---- buffered sends ---- */

#define MAX_BUFFERED 64

static struct lg_pending buffered[MAX_BUFFERED]; /* the last one by channel, since a buffer was given up */
static uint32_t nbuffered;                       /* more than there is room for: some are not kept */

void lg_note_buffered(uint32_t comm, int peer, int tag, uint64_t seq)
{
  uint32_t n = nbuffered < MAX_BUFFERED ? nbuffered : MAX_BUFFERED, i = 0;
  while (i < n && !(buffered[i].comm == comm && buffered[i].peer == peer && buffered[i].tag == tag))
    i++;
  if (i < MAX_BUFFERED)
    buffered[i] = (struct lg_pending){LG_OP_SEND, comm, peer, tag, seq, 0, 0};
  if (i == n)
    nbuffered = n + 1;
}

void lg_before_bsend(struct lg_call *c)
{
  lg_before_send(c, false);
  if (c->comm && c->peer != LG_PROC_NULL)
    lg_note_buffered(c->comm->index, c->peer, c->tag, (uint64_t)c->handle);
}

/* Communicators with a buffer of their own, from MPI-4.1 on. */
#define MAX_OWN 64
static uint32_t own[MAX_OWN], nown; /* more than there is room for: some are not kept */

static bool has_own(uint32_t comm)
{
  uint32_t i = 0;
  while (i < nown && i < MAX_OWN && own[i] != comm)
    i++;
  return i < nown && i < MAX_OWN;
}

void lg_after_attach(const struct lg_call *c)
{
  if (!c->comm || has_own(c->comm->index))
    return;
  if (nown < MAX_OWN)
    own[nown] = c->comm->index;
  nown++;
}

/* lies_in tells whether a message is in the buffer that the call is about: the
 * communicator's, or that of the process. */
static bool lies_in(const struct lg_call *c, const struct lg_pending *e)
{
  return c->desc->comm >= 0 ? c->comm && e->comm == c->comm->index : !has_own(e->comm);
}

/* To give up the buffer is to wait until all that lies in it has gone. */
void lg_before_detach(struct lg_call *c)
{
  uint32_t kept = nbuffered < MAX_BUFFERED ? nbuffered : MAX_BUFFERED, n = 0;
  if (c->desc->comm >= 0)
    c->comm = lg_comm_of(c->st, c, c->desc->comm);
  lg_op_begin(c);
  for (uint32_t i = 0; i < kept; i++) {
    buffered[i].state = c->st->index;
    if (lies_in(c, &buffered[i]))
      lg_op_wait_for(c->thr->pub, n++, buffered[i]);
  }
  if (nbuffered > kept || nown > MAX_OWN)
    lg_op_wait_for(c->thr->pub, n++, (struct lg_pending){LG_OP_OTHER, LG_NO_INDEX, LG_NONE, LG_NONE, 0, c->st->index, 0});
  lg_op_publish(c, n ? LG_OP_WAIT : LG_OP_LOCAL, n);
  lg_op_end(c);
}

void lg_after_detach(const struct lg_call *c)
{
  uint32_t kept = nbuffered < MAX_BUFFERED ? nbuffered : MAX_BUFFERED, left = 0;
  for (uint32_t i = 0; i < kept; i++)
    if (!lies_in(c, &buffered[i]))
      buffered[left++] = buffered[i];
  nbuffered = left;
}

/* ---- receives ---- */

void lg_before_recv(struct lg_call *c, uint32_t kind)
{
  struct half h;
  if (!half_of(c, c->desc->peer, c->desc->tag, &h))
    return lg_op_simple(c, LG_OP_LOCAL);
  struct lg_pending e = {kind, h.comm, h.peer, h.tag, 0, c->st->index, 0};
  if (kind == LG_OP_RECV)
    e = received(c, &h);
  lg_op_one(c, kind, e);
  c->handle = (long)e.seq;
  c->peer = h.peer;
  c->tag = h.tag;
  if (lg_wild(h.peer, h.tag))
    lg_want_status(c, 1);
}

/* A receive that is only begun here, or a probe that has to be matched later. */
void lg_before_irecv(struct lg_call *c)
{
  struct half h;
  if (half_of(c, c->desc->peer, c->desc->tag, &h)) {
    c->handle = (long)lg_count_recv(c->st, h.comm, h.peer, h.tag);
    c->peer = h.peer;
    c->tag = h.tag;
  }
  lg_op_simple(c, LG_OP_LOCAL);
}

void lg_before_sendrecv(struct lg_call *c, bool blocks)
{
  struct half s, r;
  uint32_t n = 0;
  bool to = half_of(c, c->desc->peer, c->desc->tag, &s), from = half_of(c, c->desc->peer2, c->desc->tag2, &r);
  struct lg_pending e[2];
  if (to)
    e[n++] = sent(c, &s);
  if (from)
    e[n++] = received(c, &r);
  c->handle = to ? (long)e[0].seq : 0;
  c->seq2 = from ? e[n - 1].seq : 0;
  if (to)
    lg_message_sent(c, e[0].seq);
  if (!blocks) {
    c->n = (int)n; /* after_isendrecv reads peers and tags back from the arguments */
    return lg_op_simple(c, LG_OP_LOCAL);
  }
  lg_op_begin(c);
  for (uint32_t i = 0; i < n; i++)
    lg_op_wait_for(c->thr->pub, i, e[i]);
  lg_op_publish(c, n ? LG_OP_WAIT : LG_OP_LOCAL, n);
  lg_op_end(c);
  if (from) {
    c->peer = r.peer;
    c->tag = r.tag;
    if (lg_wild(r.peer, r.tag))
      lg_want_status(c, 1);
  }
}

void lg_after_recv(struct lg_call *c)
{
  uint64_t seq = c->desc->cls == CLS_recv ? (uint64_t)c->handle : c->seq2;
  if (c->comm && lg_wild(c->peer, c->tag) && lg_status_at(c, 0))
    seq = lg_matched(c, c->comm->index, asked(c), lg_status_at(c, 0));
  lg_message_received(c, seq);
}

uint32_t lg_list_probe(struct lg_call *c, uint32_t n)
{
  struct half h;
  if (!half_of(c, c->desc->peer, c->desc->tag, &h))
    return n;
  lg_op_wait_for(c->thr->pub, n, (struct lg_pending){LG_OP_PROBE, h.comm, h.peer, h.tag, 0, c->st->index, 0});
  c->peer = h.peer;
  c->tag = h.tag;
  if (c->desc->cls == CLS_improbe)
    lg_want_status(c, 1);
  return n + 1;
}

/* ---- matched probes ---- */

void lg_before_mprobe(struct lg_call *c)
{
  lg_before_recv(c, LG_OP_PROBE);
  if (!c->own_status)
    lg_want_status(c, 1);
}

/* The message is matched here, and no other receive gets it; it is received once a receive names it. */
void lg_after_mprobe(struct lg_call *c)
{
  const char *status = lg_status_at(c, 0);
  if (!c->comm || !status)
    return;
  struct lg_take m = match(c, c->comm->index, asked(c), status);
  struct lg_req *r = m.peer < 0 ? NULL : lg_req_put(LG_KEY_MESSAGE, lg_handle_at(c, c->desc->message, 0));
  if (m.number && m.wild)
    lg_take(m);
  if (!r)
    return;
  r->kind = LG_OP_RECV;
  r->comm = c->comm->index;
  r->ref = c->comm;
  r->peer = m.peer;
  r->tag = m.tag;
  r->seq = m.number;
  if (m.number)
    lg_probed_take(m);
}

/* take_message moves what a matched probe found into the call. */
static struct lg_pending take_message(struct lg_call *c)
{
  struct lg_req *r = lg_req_get(LG_KEY_MESSAGE, lg_handle_at(c, c->desc->message, 0));
  if (!r)
    return (struct lg_pending){LG_OP_OTHER, LG_NO_INDEX, LG_NONE, LG_NONE, 0, c->st->index, 0};
  struct lg_pending e = {LG_OP_RECV, r->comm, r->peer, r->tag, r->seq, c->st->index, 0};
  c->comm = r->ref;
  c->peer = r->peer;
  c->tag = r->tag;
  c->handle = (long)r->seq;
  lg_probed_receive(r->comm, r->peer, r->tag, r->seq);
  lg_req_drop(r);
  return e;
}

void lg_before_mrecv(struct lg_call *c)
{
  struct lg_pending e = take_message(c);
  lg_op_one(c, LG_OP_RECV, e);
}

void lg_before_imrecv(struct lg_call *c)
{
  take_message(c);
  lg_op_simple(c, LG_OP_LOCAL);
}

void lg_after_mrecv(struct lg_call *c)
{
  lg_message_received(c, (uint64_t)c->handle);
}
