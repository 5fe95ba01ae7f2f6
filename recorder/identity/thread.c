#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/locks.h"
#include "base/pages.h"
#include "base/recording.h"
#include "file/record.h"
#include "identity/thread.h"

__thread struct lg_thr *lg_self __attribute__((tls_model("initial-exec")));
struct lg_thr *lg_threads;
static pthread_key_t thread_gone;
static uint32_t nthreads;

static void release(void *thr)
{
  struct lg_thr *t = thr;
  lg_self = NULL;
  t->pub->tid = LG_NO_INDEX;
  __atomic_store_n(&t->in_use, false, __ATOMIC_RELEASE);
}

static void stack_bounds(struct lg_cache *c)
{
  pthread_attr_t a;
  void *lo;
  size_t n;
  c->stack_lo = c->stack_hi = 0;
  if (pthread_getattr_np(pthread_self(), &a))
    return;
  if (pthread_attr_getstack(&a, &lo, &n) == 0) {
    c->stack_lo = (uint64_t)lo;
    c->stack_hi = (uint64_t)lo + n;
  }
  pthread_attr_destroy(&a);
}

static bool thread_record(struct lg_thr *t)
{
  struct lg_thread *p = lg_rec_begin(LG_REC_THREAD, (int)nthreads, 8, sizeof *p);
  if (!p)
    return false;
  p->index = nthreads++;
  p->first_tid = (uint32_t)t->tid;
  p->state = LG_NO_INDEX;
  lg_rec_commit(p);
  t->pub = p;
  t->model.thread = p->index;
  return true;
}

static struct lg_thr *thread_new(void)
{
  if (nthreads == 0)
    pthread_key_create(&thread_gone, release);
  struct lg_thr *t = lg_pages(sizeof *t);
  if (!t)
    return NULL;
  t->tid = (int)syscall(SYS_gettid);
  if (!lg_model_make(&t->model)) {
    lg_turn_off("no memory for the tables of a thread");
    return NULL;
  }
  if (!thread_record(t))
    return NULL;
  t->next = lg_threads;
  __atomic_store_n(&lg_threads, t, __ATOMIC_RELEASE);
  return t;
}

/* A thread that ended leaves its model to the next one, so that programs which
 * start threads without end do not fill the file. */
static struct lg_thr *thread_reuse(void)
{
  for (struct lg_thr *t = lg_threads; t; t = t->next)
    if (!__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE))
      return t;
  return NULL;
}

struct lg_thr *lg_thread_register(void)
{
  lg_lock_file();
  struct lg_thr *t = thread_reuse();
  if (!t)
    t = thread_new();
  if (t) {
    t->in_use = true;
    t->tid = (int)syscall(SYS_gettid);
    t->pub->tid = (uint32_t)t->tid;
    t->pthread = (uint64_t)pthread_self();
    t->model.prev = NULL;
    t->empty.st = NULL;
    t->outer_cfa = 0;
    lg_cache_clear(&t->model.cache);
    if (nthreads > 1)
      lg_shared = true;
  }
  lg_unlock_file();
  if (!t)
    return NULL;
  stack_bounds(&t->model.cache);
  pthread_setspecific(thread_gone, t);
  return lg_self = t;
}
