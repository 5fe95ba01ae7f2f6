#include "base/hash.h"
#include "base/seq.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/channel.h"
#include "identity/thread.h"

#define MAX_CHANNELS 4096u
#define CHAN_SLOTS (2 * MAX_CHANNELS)
#define COMM_SPREAD 0xc2b2ae3d27d4eb4full /* an odd number whose bits look random */

static struct lg_chan chans[MAX_CHANNELS];
static uint16_t slots[CHAN_SLOTS]; /* channel number + 1 */
static uint32_t nchans, hand;
static struct lg_channels *block;
static struct lg_origins *origins;
static uint32_t norigins;

static uint32_t chan_place(uint32_t comm, int peer, int tag)
{
  uint64_t h = ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) * LG_GOLDEN + comm * COMM_SPREAD;
  return (uint32_t)(h >> 40) & (CHAN_SLOTS - 1);
}

static bool is(const struct lg_chan *c, uint32_t comm, int peer, int tag)
{
  return c->comm == comm && c->peer == peer && c->tag == tag;
}

static void unlink_slot(const struct lg_chan *c)
{
  uint32_t k = chan_place(c->comm, c->peer, c->tag);
  while (&chans[slots[k] - 1] != c)
    k = (k + 1) & (CHAN_SLOTS - 1);
  for (uint32_t hole = k;;) { /* move later entries of the run back over the hole */
    slots[hole] = 0;
    for (;;) {
      k = (k + 1) & (CHAN_SLOTS - 1);
      if (!slots[k])
        return;
      const struct lg_chan *o = &chans[slots[k] - 1];
      uint32_t home = chan_place(o->comm, o->peer, o->tag);
      if (((k - home) & (CHAN_SLOTS - 1)) >= ((k - hole) & (CHAN_SLOTS - 1)))
        break;
    }
    slots[hole] = slots[k];
    hole = k;
  }
}

/* oldest gives up a channel that was not used since the search last passed (a clock, as for pages).
 * Programs that use a fresh tag per message leave their old channels behind. */
static struct lg_chan *oldest(void)
{
  for (;;) {
    struct lg_chan *c = &chans[hand++ % MAX_CHANNELS];
    if (!c->recent) {
      unlink_slot(c);
      lg_rank->evicted++;
      return c;
    }
    c->recent = 0;
  }
}

static struct lg_chan *fresh(void)
{
  if (nchans == MAX_CHANNELS)
    return oldest();
  if (nchans % LG_CHANNELS == 0) {
    block = lg_rec_table(LG_REC_CHANNELS, sizeof *block);
    if (!block)
      return NULL;
  }
  chans[nchans].pub = &block->entry[nchans % LG_CHANNELS];
  return &chans[nchans++];
}

static struct lg_origin *fresh_origin(void)
{
  if (norigins % LG_ORIGINS == 0) {
    origins = lg_rec_table(LG_REC_ORIGINS, sizeof *origins);
    if (!origins)
      return NULL;
  }
  return &origins->entry[norigins++ % LG_ORIGINS];
}

/* say_origin says which call sends on a channel; NULL: none does yet. */
static void say_origin(struct lg_chan *c, const struct lg_st *st)
{
  struct lg_origin *s = c->from;
  c->sender = st;
  lg_seq_begin(&s->seq);
  s->comm = st ? c->comm + 1 : 0;
  s->peer = c->peer;
  s->tag = c->tag;
  s->number = c->pub->sent + 1;
  s->state = st ? st->index : LG_NO_INDEX;
  s->thread = st ? (uint16_t)lg_self->pub->index : 0;
  lg_seq_end(&s->seq);
}

/* note_origin does so for a call that begins to send there, or does again after another one. That
 * is seen only where the call sent on another channel meanwhile: what is cached costs nothing. */
static void note_origin(struct lg_chan *c, const struct lg_st *st)
{
  if (c->sender != st && (c->from || (c->from = fresh_origin())))
    say_origin(c, st);
}

static struct lg_chan *channel_new(uint32_t comm, int peer, int tag)
{
  struct lg_chan *c = fresh();
  if (!c)
    return NULL;
  struct lg_channel *p = c->pub;
  lg_seq_begin(&p->seq);
  p->sent = p->received = 0;
  p->peer = c->peer = peer;
  p->tag = c->tag = tag;
  c->comm = comm;
  p->comm = comm + 1;
  lg_seq_end(&p->seq);
  if (c->from)
    say_origin(c, NULL);
  uint32_t k = chan_place(comm, peer, tag);
  while (slots[k])
    k = (k + 1) & (CHAN_SLOTS - 1);
  slots[k] = (uint16_t)(c - chans + 1);
  return c;
}

/* The call that sends on a channel stays known: where it did so on the communicator before, it does so on the next. */
void lg_chan_forget(uint32_t comm)
{
  for (struct lg_chan *c = chans; c < chans + nchans; c++) {
    if (c->comm != comm)
      continue;
    lg_seq_begin(&c->pub->seq);
    c->pub->sent = c->pub->received = 0;
    lg_seq_end(&c->pub->seq);
    if (!c->from)
      continue;
    lg_seq_begin(&c->from->seq);
    c->from->number = 1;
    lg_seq_end(&c->from->seq);
  }
}

struct lg_chan *lg_chan_known(uint32_t comm, int peer, int tag)
{
  for (uint32_t k = chan_place(comm, peer, tag); slots[k]; k = (k + 1) & (CHAN_SLOTS - 1))
    if (is(&chans[slots[k] - 1], comm, peer, tag))
      return &chans[slots[k] - 1];
  return NULL;
}

struct lg_chan *lg_chan_get(struct lg_st *st, int way, uint32_t comm, int peer, int tag)
{
  struct lg_chan *c = st->chan[way];
  if (!c || !is(c, comm, peer, tag)) {
    c = lg_chan_known(comm, peer, tag);
    if (!c)
      c = channel_new(comm, peer, tag);
    st->chan[way] = c;
    if (c && way == LG_SENDING)
      note_origin(c, st);
  }
  if (c)
    c->recent = 1;
  return c;
}
