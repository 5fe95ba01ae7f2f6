#include "base/seq.h"
#include "base/table.h"
#include "file/record.h"
#include "identity/persistent.h"

#define MAX_ENTRIES 4096u

struct known { /* an entry */
  uint64_t key; /* a hash of what it is about */
  struct lg_persistent *pub; /* in the file */
};

static struct lg_table table;
static struct lg_persistents *block;
static uint32_t entries;

static uint64_t key_of(const struct lg_persistent *e)
{
  uint64_t h = lg_mix((uint64_t)e->comm << 32 | e->flags, (uint64_t)(uint32_t)e->peer << 32 | (uint32_t)e->tag);
  return lg_mix(h, (uint64_t)e->thread << 32 | e->state) | LG_KEYS;
}

static bool same(const struct lg_persistent *a, const struct lg_persistent *b)
{
  return a->comm == b->comm && a->peer == b->peer && a->tag == b->tag && a->flags == b->flags && a->thread == b->thread &&
         a->state == b->state;
}

static struct lg_persistent *fresh(void)
{
  if (entries % LG_PERSISTENTS == 0) {
    block = lg_rec_table(LG_REC_PERSISTENTS, sizeof *block);
    if (!block)
      return NULL;
  }
  return &block->entry[entries++ % LG_PERSISTENTS];
}

struct lg_persistent *lg_persistent_of(uint32_t comm, int peer, int tag, uint32_t flags, uint32_t thread, uint32_t state)
{
  struct lg_persistent e = {
      .comm = comm + 1, .peer = peer, .tag = tag, .flags = (uint16_t)flags, .thread = (uint16_t)thread, .state = state};
  uint64_t key = key_of(&e);
  struct known *k = lg_table_get(&table, sizeof *k, key);
  if (k)
    return same(k->pub, &e) ? k->pub : NULL;
  struct lg_persistent *pub = entries < MAX_ENTRIES ? fresh() : NULL;
  if (!pub)
    return NULL;
  lg_seq_begin(&pub->seq);
  e.seq = pub->seq;
  *pub = e;
  lg_seq_end(&pub->seq);
  k = lg_table_put(&table, sizeof *k, key);
  if (k)
    *k = (struct known){key, pub};
  return pub;
}
