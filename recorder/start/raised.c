#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/recording.h"
#include "file/rank.h"
#include "file/record.h"
#include "python/words.h"
#include "start/raised.h"

#define MAX_RECORDS 1000 /* of a process */

static uint64_t hash_of(const struct lg_raised_words *w, uint64_t calls)
{
  uint64_t h = lg_mix(w->how, calls), part;
  for (size_t i = 0; i < sizeof w->type; i += sizeof part) {
    memcpy(&part, w->type + i, sizeof part);
    h = lg_mix(h, part);
  }
  for (int i = 0; i < w->n; i++)
    h = lg_mix(h, w->word[i]);
  return h;
}

/* put appends a record, unless the last one says the same. That there is none any more is only
 * said after one. */
static void put(struct lg_thr *t, const struct lg_raised_words *w)
{
  static int records;
  uint64_t calls = t->pub->calls, hash = w->how == LG_RAISED_NONE ? 0 : hash_of(w, calls);
  size_t type = strlen(w->type), frames = 8 * (size_t)w->n;
  if (hash == t->raised || records == MAX_RECORDS)
    return;
  struct lg_raised *r = NULL;
  uint32_t size = (uint32_t)(sizeof *r + frames + type + 7) & ~7u;
  r = lg_rec_begin(LG_REC_RAISED, (int)t->pub->index, size - (uint32_t)sizeof r->h, size);
  if (!r)
    return;
  r->calls = calls;
  r->how = w->how;
  r->nframes = (uint16_t)w->n;
  r->type_len = (uint16_t)type;
  r->flags = w->cut;
  memcpy(r + 1, w->word, frames);
  memcpy((char *)(r + 1) + frames, w->type, type);
  lg_rec_commit(r);
  t->raised = hash;
  records++;
}

static void read_and_put(struct lg_thr *t, bool last)
{
  static struct lg_raised_words words; /* large; the file lock is held */
  if (lg_words_raised(t->pthread, last, &words))
    put(t, &words);
}

void lg_raised_captured(struct lg_thr *t)
{
  if (!lg_py_ending())
    read_and_put(t, t->tid == getpid());
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
  read_and_put(lg_self, true);
  lg_unlock_file();
}
