#include <string.h>
#include "base/clock.h"
#include "base/hash.h"
#include "base/locks.h"
#include "base/recording.h"
#include "file/record.h"
#include "identity/thread.h"
#include "python/words.h"
#include "start/capture.h"
#include "start/others.h"
#include "start/task.h"

#define MOST_OTHERS 16  /* threads of which the last stack is known; those with like stacks count once in a look */
#define MAX_RECORDS 256 /* of a process */

static struct other {
  uint64_t hash; /* of the stack; 0: the place is free */
  struct lg_other_live *live;
  int tid;
} others[MOST_OTHERS];

/* waits_outside tells whether a thread that calls MPI sleeps outside of it until another thread wakes it up. */
static bool waits_outside(void)
{
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
    struct lg_asleep a;
    if (__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) && !t->pub->in_mpi && lg_doing(t->tid, &a) == LG_IN_CALL && a.futex)
      return true;
  }
  return false;
}

/* calls_mpi tells whether a thread does, by its number or its pthread_t; the other one is 0. */
static bool calls_mpi(int tid, uint64_t pthread)
{
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next)
    if (__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) && (tid ? t->tid == tid : t->pthread == pthread))
      return true;
  return false;
}

/* hash_of_place is never 0, which says that a place is free. */
static uint64_t hash_of_place(const struct lg_words *w) { return lg_mix_bytes(w->partial, w->word, 8 * (size_t)w->n) | 1; }

static struct lg_other_live *append(int tid, const struct lg_words *w)
{
  static int records;
  uint32_t fixed = (uint32_t)(sizeof(struct lg_other) - sizeof(struct lg_rec)) + 8 * (uint32_t)w->n;
  struct lg_other_live *live = NULL;
  struct lg_other *r = records == MAX_RECORDS
                           ? NULL
                           : lg_rec_begin(LG_REC_OTHER, 0, fixed, (uint32_t)(sizeof(struct lg_rec) + fixed + sizeof *live));
  if (!r)
    return NULL;
  records++;
  r->tid = (uint32_t)tid;
  r->nframes = (uint16_t)w->n;
  r->flags = w->partial ? LG_STACK_PARTIAL : 0;
  memcpy(r + 1, w->word, 8 * (size_t)w->n);
  live = (struct lg_other_live *)((char *)r + sizeof(struct lg_rec) + fixed);
  live->time_ns = lg_now();
  lg_rec_commit(r);
  return live;
}

/* put notes where a thread is, unless another one was seen there in this look, which began at that time. */
static void put(int tid, const struct lg_words *w, uint64_t began)
{
  struct other *place = NULL;
  uint64_t hash = hash_of_place(w);
  for (struct other *o = others; o < others + MOST_OTHERS; o++) {
    if (o->hash == hash && o->tid != tid && o->live->time_ns >= began)
      return;
    if (o->hash && o->tid == tid)
      place = o;
    else if (!place && (!o->hash || o->live->time_ns < began))
      place = o;
  }
  if (!place)
    return;
  if (place->hash == hash && place->tid == tid) {
    place->live->time_ns = lg_now();
    return;
  }
  struct lg_other_live *live = append(tid, w);
  if (live)
    *place = (struct other){hash, live, tid};
}

#define PTHREAD_SHIFT 12 /* two threads are pages apart */

/* look_at_python goes through the threads that run Python: wherever they are, at work or asleep, the interpreter tells. Their
 * numbers it does not tell. */
static void look_at_python(uint64_t began)
{
  static struct lg_words words; /* large; the file lock is held */
  uint64_t threads[LG_TASKS];
  lg_lock_file();
  for (int i = 0, n = lg_off ? 0 : lg_words_threads(threads, LG_TASKS); i < n; i++)
    if (!calls_mpi(0, threads[i]) && lg_words_python(threads[i], &words))
      put((int)(threads[i] >> PTHREAD_SHIFT & INT32_MAX), &words, began);
  lg_unlock_file();
}

/* is_still_in tells whether a thread is in the call in which it was seen: else its stack may be of two moments. */
static bool is_still_in(int tid, const struct lg_asleep *a)
{
  struct lg_asleep now;
  return lg_doing(tid, &now) == LG_IN_CALL && now.sp == a->sp && now.pc == a->pc;
}

void lg_others_look(void)
{
  int tids[LG_TASKS];
  struct lg_asleep a;
  if (!lg_task_calls_told() || !waits_outside())
    return;
  uint64_t began = lg_now();
  if (lg_py_found) {
    look_at_python(began);
    return;
  }
  for (int i = 0, n = lg_tasks(tids); i < n; i++) {
    if (calls_mpi(tids[i], 0) || lg_doing(tids[i], &a) != LG_IN_CALL)
      continue;
    lg_lock_file();
    const struct lg_words *w = lg_off ? NULL : lg_capture_words(&a);
    if (w && is_still_in(tids[i], &a))
      put(tids[i], w, began);
    lg_unlock_file();
  }
}
