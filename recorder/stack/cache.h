/* The cache that names a call stack without unwinding it. A cached unwinding is
 * found by (return address, stack address) and what the caller distinguishes
 * further, and believed only if every return address it saw is still where it
 * was; a hit costs a load and a compare per frame. One thread uses a cache. */
#pragma once

#include "base/base.h"
#include "base/hash.h"
#include "stack/modules.h"
#include "stack/unwind.h"

#define LG_CACHE_WAYS 4

struct lg_slot_check { /* a return address and where on the stack it was found */
  const uint64_t *where;
  uint64_t value;
};

struct lg_cached { /* one verified unwinding */
  uint64_t name, cfa; /* name: the return address and the mark */
  const void *key;
  void *what;
  struct lg_slot_check *check;
  uint32_t nchecks, gen;
};

struct lg_cache {
  struct lg_cached *entries; /* sets of LG_CACHE_WAYS; a power of two of them */
  struct lg_slot_check *checks; /* storage behind the entries */
  uint32_t shift; /* of a hash, to the number of a set */
  uint32_t nchecks, room;
  uint32_t gen, next, unload_gen; /* next: the way that is given up next */
  uint64_t stack_lo, stack_hi; /* bounds of the native stack */
};

#pragma GCC visibility push(hidden)

/* 1 << bits sets, and room for so many checks; false: no memory. */
bool lg_cache_make(struct lg_cache *c, uint32_t bits, uint32_t checks);
void lg_cache_clear(struct lg_cache *c);
bool lg_cache_native(const struct lg_cache *c, uint64_t cfa); /* that frame is on the native stack */
/* Unwinds the callers of the wrapper with that LG_CFA. The file lock is held. */
void lg_cache_unwind(const struct lg_cache *c, uint64_t cfa, struct lg_trace *out);
/* Keeps what a stack that was unwound is known as. The mark tells stacks apart that
 * differ in memory elsewhere, of which nmore words must still be as they are now. */
void lg_cache_keep(struct lg_cache *c, const void *key, uint64_t mark, uint64_t ra, uint64_t cfa,
                   const struct lg_trace *tr, const struct lg_slot_check *more, int nmore, void *what);

/* Looks for what was kept of a stack of the program's own making (coroutines): what lay on it may be gone, so the kernel is asked. */
void *lg_cache_find_foreign(const struct lg_cache *c, const void *key, uint64_t ra, uint64_t cfa);

/* The callers of the wrapper with that LG_CFA as they were when what was kept, even if the stack was overwritten since; false: they
 * are not known. */
bool lg_cache_recall(const struct lg_cache *c, const void *key, uint64_t ra, uint64_t cfa, const void *what, struct lg_trace *out);

#pragma GCC visibility pop

static inline bool lg_verified(const struct lg_slot_check *c, uint32_t n)
{
  for (const struct lg_slot_check *end = c + n; c < end; c++)
    if (*c->where != c->value)
      return false;
  return true;
}

static inline struct lg_cached *lg_cache_set(const struct lg_cache *c, uint64_t name, uint64_t cfa)
{
  uint64_t h = (name ^ cfa << 20) * LG_GOLDEN;
  return c->entries + (h >> c->shift) * LG_CACHE_WAYS;
}

static inline void *lg_cache_find(struct lg_cache *c, const void *key, uint64_t mark, uint64_t ra, uint64_t cfa)
{
  if (unlikely(c->unload_gen != lg_unload_gen)) {
    c->unload_gen = lg_unload_gen; /* an address may mean other code now */
    lg_cache_clear(c);
  }
  uint64_t name = ra ^ mark;
  struct lg_cached *set = lg_cache_set(c, name, cfa);
  for (struct lg_cached *e = set; e < set + LG_CACHE_WAYS; e++)
    if (e->name == name && e->cfa == cfa && e->gen == c->gen && e->key == key && lg_verified(e->check, e->nchecks))
      return e->what;
  return NULL;
}
