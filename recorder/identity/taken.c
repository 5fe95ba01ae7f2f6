#include "base/locks.h"
#include "base/seq.h"
#include "file/record.h"
#include "identity/taken.h"

static struct lg_taken *taken;
static uint32_t next;

static struct lg_taken *begin(void)
{
  lg_lock_file();
  struct lg_taken *t = lg_rec_begin(LG_REC_TAKEN, 0, 0, sizeof *t);
  if (t)
    lg_rec_commit(t);
  lg_unlock_file();
  return t;
}

void lg_take(struct lg_take message)
{
  if (!taken && !(taken = begin()))
    return;
  struct lg_take *e = &taken->entry[next++ % LG_TAKEN];
  lg_seq_begin(&e->seq);
  message.seq = e->seq;
  *e = message;
  lg_seq_end(&e->seq);
}
