#include <string.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/seq.h"
#include "file/record.h"
#include "identity/history.h"

static uint32_t order; /* of all collectives of the process */

struct lg_history *lg_history_make(uint32_t comm)
{
  lg_lock_file();
  struct lg_history *h = lg_rec_begin(LG_REC_HISTORY, 0, 8, sizeof *h);
  if (h) {
    h->comm = comm;
    lg_rec_commit(h);
  }
  lg_unlock_file();
  return h;
}

/* mark takes the checkpoints that are due. */
static void __attribute__((noinline)) mark(struct lg_history *h, uint64_t n, const struct lg_begun *now)
{
  lg_seq_begin(&h->seq);
  h->marked = n;
  uint64_t step = LG_MARK_STEP;
  for (int level = 0; level < LG_MARK_LEVELS && n % step == 0; level++, step *= 4)
    h->marks[level][n / step % 2] = (struct lg_mark){now->calls, now->sites};
  lg_seq_end(&h->seq);
}

void lg_history_put(struct lg_history *h, uint64_t n, const struct lg_collective *w)
{
  struct lg_begun *e = &h->begun[(n - 1) % LG_BEGUN];
  const struct lg_begun *before = &h->begun[(n - 2) % LG_BEGUN]; /* all zero before the first */
  uint64_t calls = lg_mix(before->calls, w->call);
  __asm__("" : "+r"(calls)); /* both at once, as vectors, takes longer */
  uint64_t sites = lg_mix(before->sites, w->site);
  __atomic_store_n(&e->number, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  e->order = ++order;
  e->told = w->told;
  e->calls = calls;
  e->sites = sites;
  __atomic_store_n(&e->number, (uint32_t)n, __ATOMIC_RELEASE);
  if (unlikely(n % LG_MARK_STEP == 0))
    mark(h, n, e);
}

bool lg_history_drop(struct lg_history *h, uint64_t n, uint32_t thread, uint32_t state)
{
  struct lg_begun *e = &h->begun[(n - 1) % LG_BEGUN];
  if (e->number != (uint32_t)n || e->order != order || e->told.thread != thread || e->told.state != state || n % LG_MARK_STEP == 0)
    return false;
  __atomic_store_n(&e->number, 0, __ATOMIC_RELEASE);
  order--;
  return true;
}

uint32_t lg_history_order(void)
{
  return order;
}

void lg_history_reset(struct lg_history *h)
{
  lg_seq_begin(&h->seq);
  h->marked = 0;
  memset(h->marks, 0, sizeof h->marks);
  memset(h->begun, 0, sizeof h->begun);
  lg_seq_end(&h->seq);
}
