#include "base/seq.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/wildcard.h"

static struct lg_wildcards *wildcards;
static uint32_t top; /* no entry from here on was in use */

static void set(struct lg_wildcard *e, struct lg_wildcard to)
{
  lg_seq_begin(&e->seq);
  to.seq = e->seq;
  *e = to;
  lg_seq_end(&e->seq);
}

static bool same(const struct lg_wildcard *a, const struct lg_wildcard *b)
{
  return a->comm == b->comm && a->peer == b->peer && a->tag == b->tag && a->state == b->state && a->thread == b->thread;
}

uint32_t lg_wildcard_begin(uint32_t comm, int peer, int tag, uint32_t thread, uint32_t state)
{
  struct lg_wildcard new = {.comm = comm + 1, .peer = peer, .tag = tag, .count = 1, .state = state, .thread = (uint16_t)thread};
  uint32_t unused = LG_WILDCARDS;
  if (!wildcards && !(wildcards = lg_rec_table(LG_REC_WILDCARDS, sizeof *wildcards)))
    return 0;
  for (uint32_t i = 0; i < top; i++) {
    struct lg_wildcard *e = &wildcards->entry[i];
    if (same(e, &new)) {
      e->count++;
      return i + 1;
    }
    if (!e->count && unused == LG_WILDCARDS)
      unused = i;
  }
  if (unused == LG_WILDCARDS && top < LG_WILDCARDS)
    unused = top++;
  if (unused == LG_WILDCARDS) {
    lg_rank->evicted++; /* what this rank says it receives is not complete */
    return 0;
  }
  set(&wildcards->entry[unused], new);
  return unused + 1;
}

void lg_wildcard_end(uint32_t entry)
{
  if (entry)
    wildcards->entry[entry - 1].count--;
}

/* An entry that is still counted stays taken until its receives end. */
void lg_wildcards_forget(uint32_t comm)
{
  for (uint32_t i = 0; i < top; i++) {
    struct lg_wildcard e = wildcards->entry[i];
    if (e.comm == comm + 1) {
      e.comm = 0;
      set(&wildcards->entry[i], e);
    }
  }
}
