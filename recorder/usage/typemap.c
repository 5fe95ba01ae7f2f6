#include <stdlib.h>
#include "format.h"
#include "mpi/family.h"
#include "usage/typemap.h"

#define MOST (1 << 16) /* segments of one type */
#define DIMENSIONS 32  /* of an array, at most */

struct map {
  struct lg_segment *s;
  int64_t n, room;
  bool failed;
};

static void append(struct map *m, int64_t at, int64_t size)
{
  if (size <= 0 || m->failed)
    return;
  if (m->n && m->s[m->n - 1].at + m->s[m->n - 1].size == at) {
    m->s[m->n - 1].size += size;
    return;
  }
  if (m->n == m->room) {
    int64_t more = m->room ? m->room * 2 : 16;
    struct lg_segment *p = more > MOST ? NULL : realloc(m->s, (size_t)more * sizeof *p);
    if (!p) {
      m->failed = true;
      return;
    }
    m->s = p;
    m->room = more;
  }
  m->s[m->n++] = (struct lg_segment){at, size};
}

/* repeat appends a type n times, each its extent behind the one before. */
static void repeat(struct map *m, struct lg_dtype *t, int64_t at, int64_t n)
{
  if (!t || m->failed || !lg_type_map(t)) {
    m->failed = true;
    return;
  }
  if (t->nsegments == 1 && t->segments[0].size == t->extent)
    return append(m, at + t->segments[0].at, n * t->extent);
  for (int64_t i = 0; i < n && !m->failed && t->nsegments; i++)
    for (int64_t k = 0; k < t->nsegments && !m->failed; k++)
      append(m, at + i * t->extent + t->segments[k].at, t->segments[k].size);
}

/* A pair of different types has a gap where its size says so. */
static void named(struct map *m, const struct lg_dtype *t)
{
  if (t->size == t->true_extent)
    return append(m, t->true_lb, t->size);
  int64_t second = sizeof(int), first = t->size - second;
  append(m, 0, first);
  append(m, t->true_extent - second, second);
}

static void vector(struct map *m, const struct lg_dtype *t, int64_t stride)
{
  for (int64_t i = 0; i < t->ints[0] && !m->failed; i++)
    repeat(m, t->types[0], i * stride, t->ints[1]);
}

/* indexed: blocks of one length or each of its own, at displacements in elements
 * or bytes, of one type or each of its own. */
static void indexed(struct map *m, const struct lg_dtype *t, bool one_length, const int64_t *at, int64_t unit, bool own_types)
{
  for (int64_t i = 0; i < t->ints[0] && !m->failed; i++)
    repeat(m, t->types[own_types ? i : 0], at[i] * unit, t->ints[one_length ? 1 : 1 + i]);
}

/* subarray goes through the rows of the array, the dimension that is contiguous
 * last. */
static void subarray(struct map *m, const struct lg_dtype *t)
{
  int64_t n = t->ints[0], at[DIMENSIONS] = {0};
  const int64_t *sizes = t->ints + 1, *sub = sizes + n, *start = sub + n;
  bool fortran = t->ints[1 + 3 * n] == LG_N_order_fortran;
  if (n < 1 || n > DIMENSIONS) {
    m->failed = true;
    return;
  }
#define DIM(k) (fortran ? n - 1 - (k) : (k)) /* the k-th, the slowest first */
  for (bool more = true; more && !m->failed;) {
    int64_t offset = 0;
    for (int64_t k = 0; k < n; k++)
      offset = offset * sizes[DIM(k)] + start[DIM(k)] + at[k];
    repeat(m, t->types[0], offset * t->types[0]->extent, sub[DIM(n - 1)]);
    more = false;
    for (int64_t k = n - 2; k >= 0 && !more; k--) {
      more = ++at[k] < sub[DIM(k)];
      if (!more)
        at[k] = 0;
    }
  }
#undef DIM
}

static bool whole(const struct lg_dtype *t)
{
  int64_t n = t->nints ? t->ints[0] : 0, inner = t->ntypes;
  for (int64_t i = 0; i < inner; i++)
    if (!t->types[i])
      return false;
  switch (t->combiner) {
  case LG_DUP: case LG_RESIZED: return inner == 1;
  case LG_CONTIGUOUS: return inner == 1 && t->nints == 1;
  case LG_VECTOR: return inner == 1 && t->nints == 3;
  case LG_HVECTOR: case LG_HVECTOR_INTEGER: return inner == 1 && t->nints >= 2 && t->nints + t->naddresses == 3;
  case LG_INDEXED: return inner == 1 && t->nints == 2 * n + 1;
  case LG_HINDEXED: return inner == 1 && t->nints == n + 1 && t->naddresses == n;
  case LG_INDEXED_BLOCK: return inner == 1 && t->nints == n + 2;
  case LG_HINDEXED_BLOCK: return inner == 1 && t->nints == 2 && t->naddresses == n;
  case LG_STRUCT: return inner == n && t->nints == n + 1 && t->naddresses == n;
  case LG_SUBARRAY: return inner == 1 && t->nints == 3 * n + 2;
  default: return false;
  }
}

static void derived(struct map *m, const struct lg_dtype *t)
{
  int64_t extent = t->types[0] ? t->types[0]->extent : 0;
  switch (t->combiner) {
  case LG_DUP: case LG_RESIZED: return repeat(m, t->types[0], 0, 1);
  case LG_CONTIGUOUS: return repeat(m, t->types[0], 0, t->ints[0]);
  case LG_VECTOR: return vector(m, t, t->ints[2] * extent);
  case LG_HVECTOR: case LG_HVECTOR_INTEGER: return vector(m, t, t->naddresses ? t->addresses[0] : t->ints[2]);
  case LG_INDEXED: return indexed(m, t, false, t->ints + 1 + t->ints[0], extent, false);
  case LG_INDEXED_BLOCK: return indexed(m, t, true, t->ints + 2, extent, false);
  case LG_HINDEXED: return indexed(m, t, false, t->addresses, 1, false);
  case LG_HINDEXED_BLOCK: return indexed(m, t, true, t->addresses, 1, false);
  case LG_STRUCT: return indexed(m, t, false, t->addresses, 1, true);
  default: return subarray(m, t);
  }
}

/* Arrays that are distributed
 * over processes are left out. */
bool lg_type_map(struct lg_dtype *t)
{
  struct map m = {0};
  if (t->segments || t->nsegments < 0)
    return t->nsegments >= 0;
  if (!lg_type_derived(t))
    named(&m, t);
  else if (t->size && !whole(t))
    m.failed = true;
  else if (t->size)
    derived(&m, t);
  if (m.failed) {
    free(m.s);
    t->nsegments = -1;
    return false;
  }
  t->segments = m.s ? m.s : calloc(1, sizeof *m.s);
  t->nsegments = m.n;
  return t->segments != NULL;
}
