/* States and edges of a thread's Markov model. The state of a call is named by
 * the thread's cache of unwindings (cache.h). */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core.h"

#define STATE_BLOCK 256   /* states allocated at a time */
#define MAX_STATES 65536  /* per thread; more is no model but a leak */
#define CACHE_BITS 9      /* sets of the cache, as a power of two */
#define CHECKS 65536      /* return addresses the cache may hold in all */

struct lg_edge_slot {
  uint64_t key; /* (from + 1) << 32 | to, 0 free */
  uint64_t *count;
};

__thread struct lg_thr *lg_self __attribute__((tls_model("initial-exec")));
struct lg_thr *lg_threads;
static pthread_key_t thread_gone;
static uint32_t nthreads;

static inline uint64_t mix(uint64_t h)
{
  h ^= h >> 32;
  h *= 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}

/* ---- threads ---- */

static void release(void *thr)
{
  struct lg_thr *t = thr;
  lg_self = NULL;
  __atomic_store_n(&t->in_use, false, __ATOMIC_RELEASE);
}

static void stack_bounds(struct lg_thr *t)
{
  pthread_attr_t a;
  void *lo;
  size_t n;
  t->cache.stack_lo = t->cache.stack_hi = 0;
  if (pthread_getattr_np(pthread_self(), &a))
    return;
  if (pthread_attr_getstack(&a, &lo, &n) == 0) {
    t->cache.stack_lo = (uint64_t)lo;
    t->cache.stack_hi = (uint64_t)lo + n;
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
  p->state = UINT32_MAX;
  lg_rec_commit(p);
  t->pub = p;
  return true;
}

static struct lg_thr *thread_new(void)
{
  if (nthreads == 0)
    pthread_key_create(&thread_gone, release);
  struct lg_thr *t = lg_pages(sizeof *t);
  if (!t)
    return NULL;
  bool cache = lg_cache_make(&t->cache, CACHE_BITS, CHECKS);
  t->by_hash_size = 512;
  t->by_hash = lg_pages(sizeof *t->by_hash * t->by_hash_size);
  t->edges_size = 1024;
  t->edges = lg_pages(sizeof *t->edges * t->edges_size);
  t->tid = (int)syscall(SYS_gettid);
  if (!cache || !t->by_hash || !t->edges) {
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
    t->prev = NULL;
    t->vain.st = NULL;
    t->outer_cfa = 0;
    lg_cache_clear(&t->cache);
    if (nthreads > 1)
      lg_shared = true;
  }
  lg_unlock_file();
  if (!t)
    return NULL;
  stack_bounds(t);
  pthread_setspecific(thread_gone, t);
  return lg_self = t;
}

/* ---- edges ---- */

static struct lg_edge_slot *edge_slot(struct lg_edge_slot *table, uint32_t size, uint64_t key)
{
  uint32_t i = (uint32_t)mix(key) & (size - 1);
  while (table[i].key && table[i].key != key)
    i = (i + 1) & (size - 1);
  return &table[i];
}

static bool edges_grow(struct lg_thr *t)
{
  uint32_t size = t->edges_size * 2;
  struct lg_edge_slot *table = lg_pages(sizeof *table * size);
  if (!table)
    return false;
  for (uint32_t i = 0; i < t->edges_size; i++)
    if (t->edges[i].key)
      *edge_slot(table, size, t->edges[i].key) = t->edges[i];
  munmap(t->edges, sizeof *t->edges * t->edges_size);
  t->edges = table;
  t->edges_size = size;
  return true;
}

static uint64_t *edge_record(struct lg_thr *t, uint32_t from, uint32_t to)
{
  lg_lock_file();
  struct lg_edge *e = lg_rec_begin(LG_REC_EDGE, (int)t->pub->index, 8, sizeof *e);
  if (e) {
    e->from = from;
    e->to = to;
    lg_rec_commit(e);
  }
  lg_unlock_file();
  return e ? &e->count : NULL;
}

/* lg_edge_slow counts a transition other than the one taken last from there. */
void lg_edge_slow(struct lg_thr *t, struct lg_st *from, struct lg_st *to)
{
  uint64_t key = (uint64_t)(from->index + 1) << 32 | to->index;
  struct lg_edge_slot *s = edge_slot(t->edges, t->edges_size, key);
  if (!s->key) {
    if (t->nedges * 2 > t->edges_size) {
      if (!edges_grow(t)) {
        lg_turn_off("no memory for edges");
        return;
      }
      s = edge_slot(t->edges, t->edges_size, key);
    }
    uint64_t *count = edge_record(t, from->index, to->index);
    if (!count)
      return;
    s->key = key;
    s->count = count;
    t->nedges++;
  }
  from->last.to = to->index;
  from->last.count = s->count;
  ++*s->count;
}

/* ---- states ---- */

static bool same_state(const struct lg_st *st, const struct lg_desc *d, int binding, uint64_t hash, const uint64_t *frames, int n)
{
  return st->hash == hash && st->func == d - lg_descs && st->binding == binding && st->nframes == (uint32_t)n &&
         memcmp(st->frames, frames, sizeof *frames * (size_t)n) == 0;
}

static struct lg_st **state_slot(struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t hash, const uint64_t *frames, int n)
{
  uint32_t i = (uint32_t)mix(hash) & (t->by_hash_size - 1);
  while (t->by_hash[i] && !same_state(t->by_hash[i], d, binding, hash, frames, n))
    i = (i + 1) & (t->by_hash_size - 1);
  return &t->by_hash[i];
}

static bool states_grow(struct lg_thr *t)
{
  uint32_t old = t->by_hash_size, size = old * 2;
  struct lg_st **table = lg_pages(sizeof *table * size), **was = t->by_hash;
  if (!table)
    return false;
  for (uint32_t i = 0; i < old; i++) {
    if (!was[i])
      continue;
    uint32_t k = (uint32_t)mix(was[i]->hash) & (size - 1);
    while (table[k])
      k = (k + 1) & (size - 1);
    table[k] = was[i];
  }
  munmap(was, sizeof *was * old);
  t->by_hash = table;
  t->by_hash_size = size;
  return true;
}

static bool state_record(struct lg_thr *t, struct lg_st *st, const struct lg_desc *d, const uint64_t *frames)
{
  uint32_t name = (uint32_t)strlen(d->name);
  uint32_t bytes = (uint32_t)(sizeof(struct lg_state) - sizeof(struct lg_rec)) + st->nframes * 8 + name;
  uint32_t fixed = (bytes + 7) & ~7u;
  struct lg_state *r = lg_rec_begin(LG_REC_STATE, (int)t->pub->index, fixed, (uint32_t)sizeof(struct lg_rec) + fixed + 8);
  if (r) {
    r->index = st->index;
    r->nframes = (uint16_t)st->nframes;
    r->name_len = (uint16_t)name;
    r->flags = st->partial;
    r->binding = st->binding;
    uint64_t *words = (uint64_t *)(r + 1);
    memcpy(words, frames, 8 * st->nframes);
    memcpy(words + st->nframes, d->name, name);
    lg_rec_commit(r);
    st->frames = words;
    st->visits = (uint64_t *)((char *)r + sizeof(struct lg_rec) + fixed);
  }
  return r != NULL;
}

static struct lg_st *state_new(struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t hash, const uint64_t *frames, int n, bool partial)
{
  if (t->nstates == MAX_STATES || (t->nstates * 2 > t->by_hash_size && !states_grow(t))) {
    lg_turn_off("table full: more than %d different MPI call sites", t->nstates);
    return NULL;
  }
  if (t->nstates % STATE_BLOCK == 0) {
    t->states = lg_pages(sizeof *t->states * STATE_BLOCK);
    if (!t->states) {
      lg_turn_off("no memory for states");
      return NULL;
    }
  }
  struct lg_st *st = &t->states[t->nstates % STATE_BLOCK];
  *st = (struct lg_st){.index = t->nstates, .func = (uint16_t)(d - lg_descs), .binding = (uint8_t)binding,
                       .partial = partial, .nframes = (uint32_t)n, .hash = hash, .last.to = UINT32_MAX};
  if (!state_record(t, st, d, frames))
    return NULL;
  *state_slot(t, d, binding, hash, frames, n) = st;
  t->nstates++;
  return st;
}

static struct lg_st *state_of(struct lg_thr *t, const struct lg_desc *d, int binding, const struct lg_trace *tr)
{
  uint64_t frames[LG_MAX_FRAMES], hash = (uint64_t)(d - lg_descs) << 8 | (uint64_t)binding;
  for (int i = 0; i < tr->n; i++) {
    frames[i] = lg_frame_word(tr->pc[i]);
    hash = mix(hash ^ frames[i]) + 1;
  }
  struct lg_st *st = *state_slot(t, d, binding, hash, frames, tr->n);
  return st ? st : state_new(t, d, binding, hash, frames, tr->n, tr->partial);
}

/* unwound names the state the slow way. */
static struct lg_st *__attribute__((noinline)) unwound(struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t ra, uint64_t cfa)
{
  struct lg_trace tr;
  lg_lock_file();
  lg_cache_unwind(&t->cache, cfa, &tr);
  struct lg_st *st = state_of(t, d, binding, &tr);
  if (st)
    lg_cache_keep(&t->cache, d, ra, cfa, &tr, st);
  lg_unlock_file();
  return st;
}

struct lg_st *lg_state_find(struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t ra, uint64_t cfa)
{
  struct lg_st *st = lg_cache_find(&t->cache, d, ra, cfa);
  return likely(st != NULL) ? st : unwound(t, d, binding, ra, cfa);
}
