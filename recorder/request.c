/* Requests, and channels: how many messages went between this rank and a peer
 * on a communicator and tag. MPI keeps messages of a channel in order, so two
 * counts, one at each end, tell whether a pending operation has its partner. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "core.h"

/* ---- requests ---- */

#define MAX_REQUESTS (1u << 20)

static struct lg_req *table;
static uint32_t size, used; /* used: live and deleted */
static uint32_t live;

static uint64_t key_of(int space, long handle)
{
  return ((uint64_t)handle << 2 | (uint64_t)space) + 2; /* 0 and 1 mean free and deleted */
}

static uint32_t place(uint64_t key)
{
  return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (size - 1);
}

static bool resize(void)
{
  uint32_t was = size, bigger = !size ? 1024 : live * 4 > size ? size * 2 : size;
  struct lg_req *old = table, *fresh = bigger > MAX_REQUESTS ? NULL : lg_pages(sizeof *fresh * bigger);
  if (!fresh)
    return false;
  table = fresh;
  size = bigger;
  used = live;
  for (uint32_t i = 0; i < was; i++) {
    if (old[i].key < 2)
      continue;
    uint32_t k = place(old[i].key);
    while (table[k].key)
      k = (k + 1) & (size - 1);
    table[k] = old[i];
  }
  if (old)
    munmap(old, sizeof *old * was);
  return true;
}

struct lg_req *lg_req_get(int space, long handle)
{
  if (!size)
    return NULL;
  uint64_t key = key_of(space, handle);
  for (uint32_t k = place(key); table[k].key; k = (k + 1) & (size - 1))
    if (table[k].key == key)
      return &table[k];
  return NULL;
}

/* lg_req_put makes room for a request; a handle that is known already has been
 * given out anew. NULL: the table is full, the request is not followed. */
struct lg_req *lg_req_put(int space, long handle)
{
  if (used * 2 >= size && !resize()) {
    lg_rank->lost_requests++;
    return NULL;
  }
  uint64_t key = key_of(space, handle);
  struct lg_req *r = NULL;
  uint32_t k = place(key);
  for (; table[k].key && table[k].key != key; k = (k + 1) & (size - 1))
    if (table[k].key == 1 && !r)
      r = &table[k];
  if (table[k].key == key) {
    r = &table[k];
  } else {
    live++;
    if (!r) {
      r = &table[k];
      used++;
    }
  }
  *r = (struct lg_req){.key = key, .active = true, .peer2 = LG_NONE};
  return r;
}

void lg_req_drop(struct lg_req *r)
{
  uint32_t next = (uint32_t)(r - table + 1) & (size - 1);
  live--;
  r->key = 1;
  if (table[next].key)
    return;
  for (uint32_t k = (uint32_t)(r - table); table[k].key == 1; k = (k - 1) & (size - 1)) {
    table[k].key = 0; /* the chain ends here: nobody probes past it */
    used--;
  }
}

/* ---- channels ---- */

#define MAX_CHANNELS 4096u
#define CHAN_SLOTS (2 * MAX_CHANNELS)

static struct lg_chan chans[MAX_CHANNELS];
static uint16_t slots[CHAN_SLOTS]; /* channel number + 1 */
static uint32_t nchans, hand;
static struct lg_channels *block;

static uint32_t chan_place(uint32_t comm, int peer, int tag)
{
  uint64_t h = ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) * 0x9e3779b97f4a7c15ull + comm * 0xc2b2ae3d27d4eb4full;
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

/* oldest gives up a channel that was not used since the hand last passed.
 * Programs that use a fresh tag per message leave their old channels behind. */
static struct lg_chan *oldest(void)
{
  for (;;) {
    struct lg_chan *c = &chans[hand++ % MAX_CHANNELS];
    if (!c->turn) {
      unlink_slot(c);
      lg_rank->evicted++;
      return c;
    }
    c->turn = 0;
  }
}

static struct lg_chan *fresh(void)
{
  if (nchans == MAX_CHANNELS)
    return oldest();
  if (nchans % LG_CHANNELS == 0) {
    lg_lock_file();
    block = lg_rec_begin(LG_REC_CHANNELS, 0, 0, sizeof *block);
    if (block)
      lg_rec_commit(block);
    lg_unlock_file();
    if (!block)
      return NULL;
  }
  chans[nchans].pub = &block->entry[nchans % LG_CHANNELS];
  return &chans[nchans++];
}

static struct lg_chan *channel_new(uint32_t comm, int peer, int tag)
{
  struct lg_chan *c = fresh();
  if (!c)
    return NULL;
  struct lg_channel *p = c->pub;
  __atomic_store_n(&p->seq, p->seq + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  p->sent = p->received = 0;
  p->peer = c->peer = peer;
  p->tag = c->tag = tag;
  c->comm = comm;
  p->comm = comm + 1;
  __atomic_store_n(&p->seq, p->seq + 1, __ATOMIC_RELEASE);
  uint32_t k = chan_place(comm, peer, tag);
  while (slots[k])
    k = (k + 1) & (CHAN_SLOTS - 1);
  slots[k] = (uint16_t)(c - chans + 1);
  return c;
}

/* lg_chan_get finds a channel, first where this call site (and way: 0 sends, 1
 * receives) found it last. NULL: no room. */
struct lg_chan *lg_chan_get(struct lg_st *st, int way, uint32_t comm, int peer, int tag)
{
  struct lg_chan *c = st->chan[way];
  if (!c || !is(c, comm, peer, tag)) {
    c = NULL;
    for (uint32_t k = chan_place(comm, peer, tag); slots[k]; k = (k + 1) & (CHAN_SLOTS - 1))
      if (is(&chans[slots[k] - 1], comm, peer, tag)) {
        c = &chans[slots[k] - 1];
        break;
      }
    if (!c)
      c = channel_new(comm, peer, tag);
    st->chan[way] = c;
  }
  if (c)
    c->turn = 1;
  return c;
}
