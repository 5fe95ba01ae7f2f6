#include "calls/p2p.h"
#include "calls/refused.h"
#include "format.h"
#include "identity/channel.h"
#include "identity/comm.h"
#include "identity/history.h"
#include "identity/state.h"
#include "identity/thread.h"
#include "mpi/family.h"

/* precedes tells whether errors of a class are found in the arguments, before anything is sent. */
static bool precedes(int class)
{
  return class == lg_fam.err_buffer || class == lg_fam.err_count || class == lg_fam.err_type || class == lg_fam.err_tag ||
         class == lg_fam.err_comm || class == lg_fam.err_rank || class == lg_fam.err_root || class == lg_fam.err_op ||
         class == lg_fam.err_arg;
}

/* unsend tells whether the message is the latest of its channel, and was taken back. */
static bool unsend(const struct lg_call *c, int peer, int tag, uint64_t seq)
{
  struct lg_chan *ch = seq ? lg_chan_known(c->comm->index, peer, tag) : NULL;
  if (!ch || ch->pub->sent != seq)
    return false;
  ch->pub->sent--;
  return true;
}

static void unreceive(const struct lg_call *c, int peer, int tag, uint64_t seq)
{
  struct lg_chan *ch = seq ? lg_chan_known(c->comm->index, peer, tag) : NULL;
  if (ch && ch->pub->received == seq)
    ch->pub->received--;
}

static void unbegin(const struct lg_call *c)
{
  struct lg_comm_ref *comm = c->comm;
  uint64_t n = comm->live->coll;
  if (n && (comm->alone || (comm->history && lg_history_drop(comm->history, n, c->thr->pub->index, c->st->index))))
    comm->live->coll = n - 1;
}

bool lg_take_back(struct lg_call *c)
{
  const struct lg_desc *d = c->desc;
  if (!precedes(c->code & lg_fam.class_mask) || !c->comm)
    return false;
  switch (d->cls) {
  case CLS_bsend: case CLS_ibsend:
    if (unsend(c, c->peer, c->tag, (uint64_t)c->handle))
      lg_note_buffered(c->comm->index, c->peer, c->tag, (uint64_t)c->handle - 1);
    return true;
  case CLS_send: case CLS_isend:
    (void)unsend(c, c->peer, c->tag, (uint64_t)c->handle);
    return true;
  case CLS_recv: case CLS_irecv:
    unreceive(c, c->peer, c->tag, (uint64_t)c->handle);
    return true;
  case CLS_sendrecv: case CLS_isendrecv:
    (void)unsend(c, lg_peer(lg_int(c, d->peer)), lg_tag(lg_int(c, d->tag)), (uint64_t)c->handle);
    unreceive(c, lg_peer(lg_int(c, d->peer2)), lg_tag(lg_int(c, d->tag2)), c->seq2);
    return true;
  case CLS_coll: case CLS_icoll:
    unbegin(c);
    return true;
  default:
    return false;
  }
}
