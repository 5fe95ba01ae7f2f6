#include <string.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/seq.h"
#include "file/record.h"
#include "identity/history.h"

#define FIRST_STEP 16 /* collectives between two checkpoints at first, a power of two */

static uint32_t order; /* of all collectives of the process */

static struct lg_history *record(uint32_t comm)
{
  lg_lock_file();
  struct lg_history *h = lg_rec_begin(LG_REC_HISTORY, 0, 8, sizeof *h);
  if (h) {
    h->comm = comm;
    h->step = FIRST_STEP;
    lg_rec_commit(h);
  }
  lg_unlock_file();
  return h;
}

/* mark keeps the hashes from time to time; when there are too many marks, every
 * other one goes. */
static void mark(struct lg_history *h, uint64_t n, const struct lg_begun *now)
{
  uint64_t k = n / h->step - 1;
  lg_seq_begin(&h->seq);
  if (k < LG_MARKS) {
    h->marks[k] = (struct lg_mark){now->calls, now->sites};
  } else {
    for (int i = 0; i < LG_MARKS / 2; i++)
      h->marks[i] = h->marks[2 * i + 1];
    memset(&h->marks[LG_MARKS / 2], 0, sizeof h->marks / 2);
    h->step *= 2;
  }
  lg_seq_end(&h->seq);
}

void lg_history_put(struct lg_history **of, uint32_t comm, uint64_t n, const struct lg_collective *w)
{
  if (unlikely(!*of) && !(*of = record(comm)))
    return;
  struct lg_history *h = *of;
  struct lg_begun *e = &h->begun[(n - 1) % LG_BEGUN];
  const struct lg_begun *before = &h->begun[(n - 2) % LG_BEGUN]; /* all zero before the first */
  __atomic_store_n(&e->number, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  e->order = ++order;
  e->thread = w->thread;
  e->state = w->state;
  e->root = w->root;
  e->op = w->op;
  e->bytes = w->bytes;
  e->calls = lg_mix(before->calls, w->call);
  e->sites = lg_mix(before->sites, w->site);
  __atomic_store_n(&e->number, (uint32_t)n, __ATOMIC_RELEASE);
  if (unlikely((n & (h->step - 1)) == 0))
    mark(h, n, e);
}

void lg_history_reset(struct lg_history *h)
{
  lg_seq_begin(&h->seq);
  h->step = FIRST_STEP;
  memset(h->marks, 0, sizeof h->marks);
  memset(h->begun, 0, sizeof h->begun);
  lg_seq_end(&h->seq);
}
