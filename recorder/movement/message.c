#include "identity/comm.h"
#include "identity/thread.h"
#include "movement/message.h"
#include "movement/moves.h"
#include "mpi/address.h"
#include "mpi/count.h"
#include "mpi/family.h"
#include "mpi/status.h"
#include "mpi/type.h"

/* memory_of says which memory a call's buffer is. */
static struct lg_piece memory_of(struct lg_call *c, int buffer, int count, int type)
{
  struct lg_piece none = {0};
  if (buffer < 0 || count < 0 || type < 0)
    return none;
  uint64_t n = lg_count_of(c, count);
  char *at = (char *)lg_arg_buffer(c, buffer);
  if (!n || !at)
    return none;
  const struct lg_extent *e = lg_type_extent(c, lg_type_handle(c, type, -1));
  if (e->true_extent <= 0)
    return none;
  return (struct lg_piece){at + e->true_lb, (uint64_t)e->true_extent + (n - 1) * (uint64_t)(e->extent > 0 ? e->extent : 0)};
}

static struct lg_piece outgoing(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  return (d->traits & TRAIT_sends) ? memory_of(c, d->send_buf, d->send_count, d->send_type) : (struct lg_piece){0};
}

static struct lg_piece incoming(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  return memory_of(c, d->recv_buf, d->recv_count, d->recv_type);
}

static void tell(bool out, uint32_t thread, uint32_t state, const struct lg_piece *p, uint32_t comm, int peer, int tag, uint64_t seq)
{
  if (p->bytes && seq && peer >= 0)
    lg_moves_message(out, &(struct lg_message){p->at, p->bytes, thread, state, comm, peer, tag, seq});
}

/* came tells of a message that a status may say more about. */
static void came(uint32_t thread, uint32_t state, struct lg_piece p, uint32_t comm, int peer, int tag, uint64_t seq, const char *status)
{
  if (status) {
    uint64_t bytes = (uint64_t)lg_status_bytes(status);
    p.bytes = bytes < p.bytes ? bytes : p.bytes;
    if (peer == LG_ANY)
      peer = lg_status_int(status, lg_fam.status_source);
    if (tag == LG_ANY)
      tag = lg_status_int(status, lg_fam.status_tag);
  }
  tell(false, thread, state, &p, comm, peer, tag, seq);
}

void lg_message_sent(struct lg_call *c, uint64_t seq)
{
  struct lg_piece p;
  if (likely(!lg_moving) || !c->comm)
    return;
  p = outgoing(c);
  tell(true, c->thr->pub->index, c->st->index, &p, c->comm->index, lg_peer(lg_int(c, c->desc->peer)), lg_tag(lg_int(c, c->desc->tag)), seq);
}

void lg_message_received(struct lg_call *c, uint64_t seq)
{
  if (likely(!lg_moving) || !c->comm)
    return;
  came(c->thr->pub->index, c->st->index, incoming(c), c->comm->index, c->peer, c->tag, seq, lg_status_at(c, 0));
}

void lg_message_begun(struct lg_call *c, struct lg_req *r)
{
  if (likely(!lg_moving))
    return;
  if (r->kind == LG_OP_SEND || r->peer2 != LG_NONE)
    r->out = outgoing(c);
  if (r->kind == LG_OP_RECV || r->peer2 != LG_NONE)
    r->in = incoming(c);
}

void lg_message_started(const struct lg_req *r)
{
  if (unlikely(lg_moving) && r->kind == LG_OP_SEND)
    tell(true, r->thread, r->state, &r->out, r->comm, r->peer, r->tag, r->seq);
}

void lg_message_completed(const struct lg_req *r, uint64_t matched, const char *status)
{
  if (likely(!lg_moving))
    return;
  if (r->kind == LG_OP_RECV)
    came(r->thread, r->state, r->in, r->comm, r->peer, r->tag, matched ? matched : r->seq, status);
  else if (r->peer2 != LG_NONE)
    came(r->thread, r->state, r->in, r->comm, r->peer2, r->tag2, matched ? matched : r->seq2, status);
}
