#include "base/seq.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/taken.h"

static struct lg_taken *taken;
static struct lg_probed *probed;
static uint32_t next;

static void put(struct lg_take *e, struct lg_take message)
{
  lg_seq_begin(&e->seq);
  message.seq = e->seq;
  *e = message;
  lg_seq_end(&e->seq);
}

void lg_take(struct lg_take message)
{
  if (taken || (taken = lg_rec_table(LG_REC_TAKEN, sizeof *taken)))
    put(&taken->entry[next++ % LG_TAKEN], message);
}

void lg_probed_take(struct lg_take message)
{
  uint32_t i = 0;
  if (!probed && !(probed = lg_rec_table(LG_REC_PROBED, sizeof *probed)))
    return;
  while (i < LG_PROBED && probed->entry[i].comm)
    i++;
  if (i < LG_PROBED)
    put(&probed->entry[i], message);
  else
    lg_rank->evicted++; /* what this rank says it received is not complete */
}

void lg_probed_receive(uint32_t comm, int peer, int tag, uint64_t number)
{
  for (uint32_t i = 0; probed && i < LG_PROBED; i++) {
    const struct lg_take *e = &probed->entry[i];
    if (e->comm == comm + 1 && e->peer == peer && e->tag == tag && e->number == number)
      return put(&probed->entry[i], (struct lg_take){0});
  }
}

void lg_taken_forget(uint32_t comm)
{
  for (uint32_t i = 0; taken && i < LG_TAKEN; i++)
    if (taken->entry[i].comm == comm + 1)
      put(&taken->entry[i], (struct lg_take){0});
  for (uint32_t i = 0; probed && i < LG_PROBED; i++)
    if (probed->entry[i].comm == comm + 1)
      put(&probed->entry[i], (struct lg_take){0});
}
