#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/pages.h"
#include "base/recording.h"
#include "file/record.h"
#include "format.h"
#include "identity/state.h"
#include "mpi/integer.h"
#include "python/words.h"
#include "stack/modules.h"

#define STATE_BLOCK 256      /* states allocated at a time */
#define MAX_STATES 65536     /* per thread; more is no model but a leak */
#define CACHE_BITS 9         /* sets of the cache, as a power of two */
#define CHECKS 65536         /* return addresses the cache may hold in all */
#define FEW_STATES 16384     /* up to which those of Python are told apart by their lines */
#define FIRST_STATES 512     /* slots of the tables at first; powers of two */
#define FIRST_EDGES 1024

struct lg_edge_slot {
  uint64_t key; /* (from + 1) << 32 | to, 0 free */
  uint64_t *count;
};

static inline uint64_t mix(uint64_t h)
{
  h ^= h >> 32;
  h *= LG_GOLDEN;
  return h ^ h >> 29;
}

bool lg_model_make(struct lg_model *m)
{
  bool cache = lg_cache_make(&m->cache, CACHE_BITS, CHECKS);
  m->by_hash_size = FIRST_STATES;
  m->by_hash = lg_pages(sizeof *m->by_hash * m->by_hash_size);
  m->edges_size = FIRST_EDGES;
  m->edges = lg_pages(sizeof *m->edges * m->edges_size);
  return cache && m->by_hash && m->edges;
}

/* ---- edges ---- */

static struct lg_edge_slot *edge_slot(struct lg_edge_slot *table, uint32_t size, uint64_t key)
{
  uint32_t i = (uint32_t)mix(key) & (size - 1);
  while (table[i].key && table[i].key != key)
    i = (i + 1) & (size - 1);
  return &table[i];
}

static bool edges_grow(struct lg_model *m)
{
  uint32_t size = m->edges_size * 2;
  struct lg_edge_slot *table = lg_pages(sizeof *table * size);
  if (!table)
    return false;
  for (uint32_t i = 0; i < m->edges_size; i++)
    if (m->edges[i].key)
      *edge_slot(table, size, m->edges[i].key) = m->edges[i];
  munmap(m->edges, sizeof *m->edges * m->edges_size);
  m->edges = table;
  m->edges_size = size;
  return true;
}

static uint64_t *edge_record(struct lg_model *m, uint32_t from, uint32_t to)
{
  lg_lock_file();
  struct lg_edge *e = lg_rec_begin(LG_REC_EDGE, (int)m->thread, 8, sizeof *e);
  if (e) {
    e->from = from;
    e->to = to;
    lg_rec_commit(e);
  }
  lg_unlock_file();
  return e ? &e->count : NULL;
}

/* lg_edge_slow counts a transition other than the one taken last from there. */
void lg_edge_slow(struct lg_model *m, struct lg_st *from, struct lg_st *to)
{
  uint64_t key = (uint64_t)(from->index + 1) << 32 | to->index;
  struct lg_edge_slot *s = edge_slot(m->edges, m->edges_size, key);
  if (!s->key) {
    if (m->nedges * 2 > m->edges_size) {
      if (!edges_grow(m)) {
        lg_turn_off("no memory for edges");
        return;
      }
      s = edge_slot(m->edges, m->edges_size, key);
    }
    uint64_t *count = edge_record(m, from->index, to->index);
    if (!count)
      return;
    s->key = key;
    s->count = count;
    m->nedges++;
  }
  from->last.to = to->index;
  from->last.count = s->count;
  ++*s->count;
}

/* ---- states ---- */

static bool same_state(const struct lg_st *st, const struct lg_desc *d, int binding, uint64_t hash,
                       const uint64_t *frames, int n)
{
  return st->hash == hash && st->func == d - lg_descs && st->binding == binding && st->nframes == (uint32_t)n &&
         memcmp(st->frames, frames, sizeof *frames * (size_t)n) == 0;
}

static struct lg_st **state_slot(struct lg_model *m, const struct lg_desc *d, int binding, uint64_t hash,
                                 const uint64_t *frames, int n)
{
  uint32_t i = (uint32_t)mix(hash) & (m->by_hash_size - 1);
  while (m->by_hash[i] && !same_state(m->by_hash[i], d, binding, hash, frames, n))
    i = (i + 1) & (m->by_hash_size - 1);
  return &m->by_hash[i];
}

static bool states_grow(struct lg_model *m)
{
  uint32_t old = m->by_hash_size, size = old * 2;
  struct lg_st **table = lg_pages(sizeof *table * size), **was = m->by_hash;
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
  m->by_hash = table;
  m->by_hash_size = size;
  return true;
}

static bool state_record(struct lg_model *m, struct lg_st *st, const struct lg_desc *d, const uint64_t *frames)
{
  uint32_t name = (uint32_t)strlen(d->name);
  uint32_t bytes = (uint32_t)(sizeof(struct lg_state) - sizeof(struct lg_rec)) + st->nframes * 8 + name;
  uint32_t fixed = (bytes + 7) & ~7u;
  struct lg_state *r =
      lg_rec_begin(LG_REC_STATE, (int)m->thread, fixed, (uint32_t)sizeof(struct lg_rec) + fixed + sizeof(struct lg_state_live));
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
    st->live = (struct lg_state_live *)((char *)r + sizeof(struct lg_rec) + fixed);
  }
  return r != NULL;
}

static struct lg_st *state_new(struct lg_model *m, const struct lg_desc *d, int binding, uint64_t hash,
                               const uint64_t *frames, int n, bool partial)
{
  if (m->nstates == MAX_STATES || (m->nstates * 2 > m->by_hash_size && !states_grow(m))) {
    lg_turn_off("table full: more than %d different MPI call sites", m->nstates);
    return NULL;
  }
  if (m->nstates % STATE_BLOCK == 0) {
    m->states = lg_pages(sizeof *m->states * STATE_BLOCK);
    if (!m->states) {
      lg_turn_off("no memory for states");
      return NULL;
    }
  }
  struct lg_st *st = &m->states[m->nstates % STATE_BLOCK];
  *st = (struct lg_st){.index = m->nstates, .func = (uint16_t)(d - lg_descs), .binding = (uint8_t)binding,
                       .partial = partial, .nframes = (uint32_t)n, .hash = hash, .last.to = LG_NO_INDEX};
  if (!state_record(m, st, d, frames))
    return NULL;
  size_t name = strlen(d->name);
  if (name > 2 && strcmp(d->name + name - 2, "_c") == 0) /* MPI_Bcast_c may meet MPI_Bcast */
    name -= 2;
  for (size_t i = 0; i < name; i++)
    st->name = lg_mix(st->name, (unsigned char)d->name[i]);
  for (int i = 0; i < n; i++)
    st->site = lg_mix(st->site, lg_frame_across(frames[i]));
  *state_slot(m, d, binding, hash, frames, n) = st;
  m->nstates++;
  return st;
}

static struct lg_st *state_of(struct lg_model *m, const struct lg_desc *d, int binding, const struct lg_words *w)
{
  uint64_t hash = (uint64_t)(d - lg_descs) << 8 | (uint64_t)binding;
  for (int i = 0; i < w->n; i++)
    hash = mix(hash ^ w->word[i]) + 1;
  struct lg_st *st = *state_slot(m, d, binding, hash, w->word, w->n);
  return st ? st : state_new(m, d, binding, hash, w->word, w->n, w->partial);
}

/* unwound names the state the slow way. */
static struct lg_st *__attribute__((noinline)) unwound(struct lg_model *m, const struct lg_desc *d, int binding,
                                                       uint64_t ra, uint64_t cfa)
{
  static struct lg_words w; /* large; the file lock is held */
  struct lg_trace tr;
  if (binding != LG_BIND_C && lg_integer_bytes != 4)
    return NULL;
  struct lg_st *known = lg_py_mark() ? NULL : lg_cache_find_foreign(&m->cache, d, ra, cfa);
  if (known)
    return known;
  lg_lock_file();
  lg_cache_unwind(&m->cache, cfa, &tr);
  lg_words_here(&tr, lg_py_most(m->nstates, FEW_STATES), &w);
  struct lg_st *st = state_of(m, d, binding, &w);
  if (st && w.kept)
    lg_cache_keep(&m->cache, d, w.mark, ra, cfa, &tr, w.check, w.nchecks, st);
  lg_unlock_file();
  return st;
}

struct lg_st *lg_state_find(struct lg_model *m, const struct lg_desc *d, int binding, uint64_t ra, uint64_t cfa)
{
  struct lg_st *st = lg_cache_find(&m->cache, d, lg_py_mark(), ra, cfa);
  return likely(st != NULL) ? st : unwound(m, d, binding, ra, cfa);
}
