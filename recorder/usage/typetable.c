#include <stdlib.h>
#include "base/hash.h"
#include "usage/typetable.h"

#define FIRST_TYPES 256

static struct lg_dtype **types; /* by index */
static uint32_t ntypes, room;
static struct lg_dtype **table; /* by handle; those that are no longer there are `gone` */
static uint32_t table_size, table_used;
static struct lg_dtype gone;
uint32_t lg_type_gen = 1;

static struct lg_dtype **slot_of(long handle)
{
  uint32_t k = (uint32_t)(lg_mix(0, (uint64_t)handle) >> 20) & (table_size - 1);
  while (table[k] && (table[k] == &gone || table[k]->handle != handle))
    k = (k + 1) & (table_size - 1);
  return &table[k];
}

struct lg_dtype *lg_type_find(long handle)
{
  return table_size ? *slot_of(handle) : NULL;
}

static bool grow(void)
{
  uint32_t live = 0, was = table_size;
  struct lg_dtype **old = table;
  for (uint32_t i = 0; i < was; i++)
    live += old[i] && old[i] != &gone;
  uint32_t size = live * 4 >= was ? (was ? was * 2 : FIRST_TYPES) : was;
  struct lg_dtype **fresh = calloc(size, sizeof(struct lg_dtype *));
  if (!fresh)
    return false;
  table = fresh;
  table_size = size;
  table_used = live;
  for (uint32_t i = 0; i < was; i++)
    if (old[i] && old[i] != &gone)
      *slot_of(old[i]->handle) = old[i];
  free(old);
  return true;
}

bool lg_type_enter(struct lg_dtype *t)
{
  if (table_used * 2 >= table_size && !grow())
    return false;
  struct lg_dtype **s = slot_of(t->handle);
  table_used += *s == NULL;
  *s = t;
  return true;
}

void lg_type_forget(struct lg_dtype *t)
{
  struct lg_dtype **s = slot_of(t->handle);
  if (*s == t)
    *s = &gone;
  lg_type_gen++;
}

struct lg_dtype *lg_type_at(int64_t index)
{
  return index >= 0 && index < ntypes ? types[index] : NULL;
}

struct lg_dtype *lg_type_add(long handle)
{
  if (ntypes == room) {
    uint32_t more = room ? room * 2 : FIRST_TYPES;
    struct lg_dtype **p = realloc(types, more * sizeof *p);
    if (!p)
      return NULL;
    types = p;
    room = more;
  }
  struct lg_dtype *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->handle = handle;
  t->index = ntypes;
  t->refs = 1;
  return types[ntypes++] = t;
}

void lg_type_hold(struct lg_dtype *t)
{
  t->holds++;
}

void lg_type_drop(struct lg_dtype *t)
{
  if (t->holds)
    t->holds--;
  if (t->holds || t->refs)
    return;
  for (int64_t i = 0; i < t->ntypes; i++)
    if (t->types[i])
      lg_type_drop(t->types[i]);
  types[t->index] = NULL;
  free(t->ints);
  free(t->addresses);
  free(t->types);
  free(t->segments);
  free(t);
}
