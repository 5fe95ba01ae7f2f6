#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/recording.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/history.h"
#include "start/raised.h"

#define MAX_RECORDS 1000 /* of a process */

static uint64_t hash_of_raised(const struct lg_raised_words *w, uint64_t calls)
{
  uint64_t h = lg_mix_bytes(lg_mix(w->how, 2 * calls + w->habit), w->type, sizeof w->type);
  return lg_mix_bytes(lg_mix_bytes(h, w->text, sizeof w->text), w->word, 8 * (size_t)w->n);
}

/* append adds a record of a thread, by its index or LG_NO_THREAD; false: there is no room. */
static bool append(int thread, const struct lg_raised_words *w, uint64_t calls, uint32_t order)
{
  static int records;
  size_t type = strlen(w->type), text = strlen(w->text), frames = 8 * (size_t)w->n;
  struct lg_raised *r = NULL;
  uint32_t size = (uint32_t)(sizeof *r + frames + type + text + 7) & ~7u;
  if (records < MAX_RECORDS)
    r = lg_rec_begin(LG_REC_RAISED, thread, size - (uint32_t)sizeof r->h, size);
  if (!r)
    return false;
  r->calls = calls;
  r->how = w->how;
  r->nframes = (uint16_t)w->n;
  r->type_len = (uint16_t)type;
  r->flags = (w->cut ? LG_RAISED_CUT : 0) | (w->habit ? LG_RAISED_HABIT : 0);
  r->order = order;
  memcpy(r + 1, w->word, frames);
  memcpy((char *)(r + 1) + frames, w->type, type);
  memcpy((char *)(r + 1) + frames + type, w->text, text);
  lg_rec_commit(r);
  records++;
  return true;
}

/* put appends a record, unless the last one says the same. That there is none any more is only
 * said after one. */
static void put(struct lg_thr *t, const struct lg_raised_words *w, uint64_t calls, uint32_t order)
{
  uint64_t hash = w->how == LG_RAISED_NONE ? 0 : hash_of_raised(w, calls);
  if (hash != t->raised && append((int)t->pub->index, w, calls, order))
    t->raised = hash;
}

static struct lg_raised_words words; /* large; the file lock is held */

static void put_thrown(struct lg_thr *t)
{
  put(t, &t->thrown->words, t->thrown->calls, t->thrown->order);
}

/* Python's comes first: one of C++ may have become it. */
void lg_raised_captured(struct lg_thr *t)
{
  bool python = !lg_py_ending() && lg_words_raised(t->pthread, t->tid == getpid(), &words);
  if (t->thrown && t->thrown->tid == t->tid && (!python || words.how == LG_RAISED_NONE))
    put_thrown(t);
  else if (python)
    put(t, &words, t->pub->calls, lg_history_order());
}

void lg_raised_thrown(struct lg_thr *t)
{
  static int thrown;
  if (thrown < LG_MAX_THROWN) {
    thrown++;
    put_thrown(t);
  }
}

static int elsewhere; /* exceptions of threads that never called MPI, which were recorded */

bool lg_raised_room_elsewhere(void) { return __atomic_load_n(&elsewhere, __ATOMIC_RELAXED) < LG_MAX_THROWN; }

void lg_raised_elsewhere(const struct lg_raised_words *w)
{
  uint64_t calls = 0;
  for (const struct lg_thr *t = lg_threads; t; t = t->next)
    calls += t->pub->calls;
  if (lg_raised_room_elsewhere() && append(LG_NO_THREAD, w, calls, lg_history_order()))
    __atomic_add_fetch(&elsewhere, 1, __ATOMIC_RELAXED);
}

void lg_raised_at_end(void)
{
  static bool noted;
  if (likely(!lg_py_found))
    return;
  bool ending = lg_py_ending(), first = ending && !noted;
  noted = ending;
  if (!first || !lg_self || lg_off || !lg_is_rank() || !lg_trylock_file())
    return;
  if (lg_words_raised(lg_self->pthread, true, &words))
    put(lg_self, &words, lg_self->pub->calls, lg_history_order());
  lg_unlock_file();
}
