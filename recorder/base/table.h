/* A hash table of handles. Its entries have one size, which is an argument so that it is a constant where these are inlined, and
 * begin with their keys. */
#pragma once

#include <string.h>
#include <sys/mman.h>
#include "base/base.h"
#include "base/hash.h"
#include "base/pages.h"

#define LG_TABLE_FIRST 1024        /* entries that a table has room for at first, half of them in use */
#define LG_TABLE_MOST (1u << 20)   /* likewise at most, three quarters of them in use */
#define LG_TABLE_KEEP (1u << 14)   /* likewise up to which it does not give memory back */

enum { LG_KEY_FREE, LG_KEY_DELETED, LG_KEYS }; /* the first keys; those of handles follow */

struct lg_table {
  char *at;
  uint32_t size, used, live; /* used: live and deleted */
  uint32_t peak;             /* of live, since it was empty */
};

/* lg_key is the key of a handle among those of its space, from 0 to 3. */
static inline uint64_t lg_key(int space, long handle)
{
  return ((uint64_t)handle << 2 | (uint64_t)space) + LG_KEYS;
}

static inline uint64_t *lg_table_at(const struct lg_table *t, size_t bytes, uint32_t k)
{
  return (uint64_t *)(t->at + bytes * k);
}

static inline uint32_t lg_table_place(const struct lg_table *t, uint64_t key)
{
  return (uint32_t)((key * LG_GOLDEN) >> 32) & (t->size - 1);
}

/* lg_table_next is the size that gives a table room for more; 0: there is none. The largest table is worth a clean-out if an eighth
 * of it is gained. */
static inline uint32_t lg_table_next(const struct lg_table *t)
{
  if (!t->size)
    return LG_TABLE_FIRST;
  if (t->size < LG_TABLE_MOST)
    return t->live > t->size / 4 ? t->size * 2 : t->size;
  return t->live <= t->size / 8 * 5 ? t->size : 0;
}

static inline bool lg_table_full(const struct lg_table *t)
{
  return t->used >= t->size / 2 && (t->size < LG_TABLE_MOST || t->used >= t->size / 4 * 3);
}

/* lg_table_resize makes room, or gets rid of what was deleted. */
static inline bool lg_table_resize(struct lg_table *t, size_t bytes)
{
  uint32_t was = t->size, bigger = lg_table_next(t);
  char *old = t->at, *fresh = bigger ? lg_pages(bytes * bigger) : NULL;
  if (!fresh)
    return false;
  t->at = fresh;
  t->size = bigger;
  t->used = t->live;
  for (uint32_t i = 0; i < was; i++) {
    const uint64_t *e = (const uint64_t *)(old + bytes * i);
    if (*e < LG_KEYS)
      continue;
    uint32_t k = lg_table_place(t, *e);
    while (*lg_table_at(t, bytes, k))
      k = (k + 1) & (bigger - 1);
    memcpy(lg_table_at(t, bytes, k), e, bytes);
  }
  if (old)
    munmap(old, bytes * was);
  return true;
}

/* lg_table_get finds an entry; NULL: there is none. */
static inline __attribute__((always_inline)) void *lg_table_get(const struct lg_table *t, size_t bytes, uint64_t key)
{
  if (!t->size)
    return NULL;
  for (uint32_t k = lg_table_place(t, key); *lg_table_at(t, bytes, k); k = (k + 1) & (t->size - 1))
    if (*lg_table_at(t, bytes, k) == key)
      return lg_table_at(t, bytes, k);
  return NULL;
}

/* lg_table_put finds an entry, or makes one, whose key is not yet set; NULL: there is no room. */
static inline __attribute__((always_inline)) void *lg_table_put(struct lg_table *t, size_t bytes, uint64_t key)
{
  if (lg_table_full(t) && !lg_table_resize(t, bytes))
    return NULL;
  uint64_t *e = NULL, *at;
  uint32_t k = lg_table_place(t, key);
  for (; *(at = lg_table_at(t, bytes, k)) && *at != key; k = (k + 1) & (t->size - 1))
    if (*at == LG_KEY_DELETED && !e)
      e = at;
  if (*at == key)
    return at;
  if (++t->live > t->peak)
    t->peak = t->live;
  if (e)
    return e;
  t->used++;
  return at;
}

/* lg_table_emptied gives half of the memory back if the table needed less than an eighth since it was empty before. */
static __attribute__((noinline, unused)) void lg_table_emptied(struct lg_table *t, size_t bytes)
{
  if (t->used == 0 && t->size > LG_TABLE_KEEP && t->peak < t->size / 8) {
    t->size /= 2;
    munmap(t->at + bytes * t->size, bytes * t->size);
  }
  t->peak = 0;
}

static inline __attribute__((always_inline)) void lg_table_drop(struct lg_table *t, size_t bytes, void *entry)
{
  uint32_t k = (uint32_t)(((char *)entry - t->at) / (ptrdiff_t)bytes);
  t->live--;
  *lg_table_at(t, bytes, k) = LG_KEY_DELETED;
  if (*lg_table_at(t, bytes, (k + 1) & (t->size - 1)))
    return;
  for (; *lg_table_at(t, bytes, k) == LG_KEY_DELETED; k = (k - 1) & (t->size - 1)) {
    *lg_table_at(t, bytes, k) = LG_KEY_FREE; /* the chain ends here: nobody probes past it */
    t->used--;
  }
  if (unlikely(!t->live))
    lg_table_emptied(t, bytes);
}
