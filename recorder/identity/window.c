#define _GNU_SOURCE
#include <stdlib.h>
#include "base/seq.h"
#include "file/rank.h"
#include "file/record.h"
#include "identity/window.h"

#define MAX_LOCKS 4096u
#define SPREAD 61 /* of windows, in the hash of a lock */

static struct lg_lock *locks[MAX_LOCKS];
static uint32_t nlocks; /* entries in the file, used or not */
static uint32_t top;    /* no entry from here on is in use */
static uint16_t last_seen[MAX_LOCKS]; /* where a lock was found, by a hash of what it is on */

void lg_epoch_close(struct lg_epoch *e)
{
  free(e->from);
  *e = (struct lg_epoch){0};
}

void lg_window_free(struct lg_window *w)
{
  if (!w)
    return;
  lg_epoch_close(&w->access);
  lg_epoch_close(&w->exposure);
  free(w);
}

/* ---- locks ---- */

static bool is(const struct lg_lock *l, uint32_t win, int target)
{
  return l->comm == win + 1 && l->target == target;
}

static struct lg_lock *find(uint32_t win, int target)
{
  uint16_t *seen = &last_seen[(win * SPREAD + (uint32_t)target) % MAX_LOCKS];
  if (*seen < top && is(locks[*seen], win, target))
    return locks[*seen];
  for (uint32_t i = 0; i < top; i++)
    if (is(locks[i], win, target)) {
      *seen = (uint16_t)i;
      return locks[i];
    }
  return NULL;
}

static bool more_locks(void)
{
  struct lg_locks *block = nlocks < MAX_LOCKS ? lg_rec_table(LG_REC_LOCKS, sizeof *block) : NULL;
  for (int i = 0; block && i < LG_LOCKS; i++)
    locks[nlocks++] = &block->entry[i];
  return block;
}

static void set(struct lg_lock *l, uint32_t win, int target, uint32_t type)
{
  lg_seq_begin(&l->seq);
  l->comm = win;
  l->target = target;
  l->type = type;
  lg_seq_end(&l->seq);
}

void lg_lock_take(uint32_t win, int target, uint32_t type)
{
  uint32_t i = 0;
  while (i < top && locks[i]->comm)
    i++;
  if (i == nlocks && !more_locks()) {
    lg_rank->evicted++; /* what this rank says of itself is not complete */
    return;
  }
  set(locks[i], win + 1, target, type);
  if (i == top)
    top++;
}

static void lower_top(void)
{
  while (top && !locks[top - 1]->comm)
    top--;
}

void lg_lock_give_up(uint32_t win, int target)
{
  struct lg_lock *l = find(win, target);
  if (!l)
    return;
  set(l, 0, 0, 0);
  lower_top();
}

const struct lg_lock *lg_lock_held(uint32_t win, int target)
{
  return find(win, target);
}

void lg_locks_forget(uint32_t win)
{
  for (uint32_t i = 0; i < top; i++)
    if (locks[i]->comm == win + 1)
      set(locks[i], 0, 0, 0);
  lower_top();
}
