/* Point-to-point calls: sends and receives are counted on their channels, and
 * what a wildcard matched is learnt from the status. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "movement/message.h"

uint64_t count_send(struct lg_call *c, uint32_t comm, int peer, int tag)
{
  struct lg_chan *ch = lg_chan_get(c->st, 0, comm, peer, tag);
  return ch ? ++ch->pub->sent : 0;
}

/* A receive with a wildcard is counted once it is known what it matched. */
uint64_t count_recv(struct lg_call *c, uint32_t comm, int peer, int tag)
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

bool wild(int peer, int tag)
{
  return peer == LG_ANY || tag == LG_ANY;
}

bool make_room(struct lg_thr *t, uint32_t n)
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
void want_status(struct lg_call *c, uint32_t n)
{
  if (!lg_status_ignored(c) || !make_room(c->thr, n))
    return;
  memset(c->thr->statuses, 0, (size_t)n * (size_t)lg_fam.status_size);
  c->args[c->desc->status] = (long)c->thr->statuses;
  c->own_status = true;
}

const char *status_at(const struct lg_call *c, int k)
{
  if (c->desc->status < 0 || lg_status_ignored(c))
    return NULL;
  return (const char *)c->args[c->desc->status] + (size_t)k * (size_t)lg_fam.status_size;
}

int status_int(const char *status, int offset)
{
  int v;
  memcpy(&v, status + offset, sizeof v);
  return v;
}

uint64_t matched(struct lg_call *c, uint32_t comm, const char *status)
{
  int source = status_int(status, lg_fam.status_source), tag = status_int(status, lg_fam.status_tag);
  return source < 0 || tag < 0 ? 0 : count_recv(c, comm, source, tag);
}

void before_send(struct lg_call *c, bool blocks)
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
  lg_message_sent(c, e.seq);
}

/* ---- buffered sends ---- */

#define MAX_BUFFERED 64

static struct lg_pending buffered[MAX_BUFFERED]; /* the last one by channel, since a buffer was given up */
static uint32_t nbuffered;                       /* more than there is room for: some are not kept */

void note_buffered(uint32_t comm, int peer, int tag, uint64_t seq)
{
  uint32_t n = nbuffered < MAX_BUFFERED ? nbuffered : MAX_BUFFERED, i = 0;
  while (i < n && !(buffered[i].comm == comm && buffered[i].peer == peer && buffered[i].tag == tag))
    i++;
  if (i < MAX_BUFFERED)
    buffered[i] = (struct lg_pending){LG_OP_SEND, comm, peer, tag, seq, 0, 0};
  if (i == n)
    nbuffered = n + 1;
}

void before_bsend(struct lg_call *c)
{
  before_send(c, false);
  if (c->comm && c->peer != LG_PROC_NULL)
    note_buffered(c->comm->index, c->peer, c->tag, (uint64_t)c->handle);
}

/* To give up the buffer is to wait until all that lies in it has gone. */
void before_detach(struct lg_call *c)
{
  uint32_t n = nbuffered < MAX_BUFFERED ? nbuffered : MAX_BUFFERED;
  begin(c);
  for (uint32_t i = 0; i < n; i++) {
    buffered[i].state = c->st->index;
    put_pending(c->thr->pub, i, buffered[i]);
  }
  if (nbuffered > n)
    put_pending(c->thr->pub, n++, (struct lg_pending){LG_OP_OTHER, UINT32_MAX, LG_NONE, LG_NONE, 0, c->st->index, 0});
  publish(c, n ? LG_OP_WAIT : LG_OP_LOCAL, n);
  end(c);
}

void after_detach(void)
{
  nbuffered = 0;
}

/* ---- receives ---- */

void before_recv(struct lg_call *c, uint32_t kind)
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
void begun_recv(struct lg_call *c)
{
  struct half h;
  if (half_of(c, c->desc->peer, c->desc->tag, &h)) {
    c->handle = (long)count_recv(c, h.comm, h.peer, h.tag);
    c->peer = h.peer;
    c->tag = h.tag;
  }
  simple(c, LG_OP_LOCAL);
}

void before_sendrecv(struct lg_call *c, bool blocks)
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

uint32_t list_probe(struct lg_call *c, uint32_t n)
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

/* ---- matched probes ---- */

void found_message(struct lg_call *c)
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
void take_message(struct lg_call *c, struct lg_pending *e)
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
