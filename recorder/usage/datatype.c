#include <stdlib.h>
#include <string.h>
#include "base/leb.h"
#include "format.h"
#include "identity/freed.h"
#include "mpi/family.h"
#include "mpi/table.h"
#include "usage/constants.h"
#include "usage/contents.h"
#include "usage/datatype.h"
#include "usage/event.h"

#define FORTRAN_MARK (1l << 62) /* in the key of a Fortran handle: no C handle has this bit */

static struct lg_dtype *describe(struct lg_usage *u, long handle);

/* inner takes over a type that another one is made of, and gives the handle back. */
static struct lg_dtype *inner(struct lg_usage *u, long handle)
{
  struct lg_dtype *t = lg_type_find(handle), *made = NULL;
  if (!t)
    t = made = describe(u, handle);
  if (!t)
    return NULL;
  lg_type_hold(t);
  if (made)
    made->refs = 0; /* nobody has its handle */
  if (lg_type_derived(t))
    lg_contents_give_back(handle);
  return t;
}

/* ---- into the stream ---- */

struct list { /* values of one array of a definition */
  int64_t *v;
  struct lg_array a;
};

static struct list bounded(int64_t *v, int64_t n)
{
  bool cut = n > LG_MAX_VALUES;
  return (struct list){v, {.n = cut ? LG_MAX_VALUES : (uint32_t)n, .known = true, .cut = cut, .width = 1}};
}

static void define(struct lg_usage *u, struct lg_dtype *t, const char *name)
{
  int64_t *numbers = malloc((size_t)(t->ntypes + 1) * sizeof *numbers);
  if (!numbers)
    return;
  for (int64_t i = 0; i < t->ntypes; i++)
    numbers[i] = t->types[i] ? (int64_t)t->types[i]->index : LG_USE_INVALID;
  struct list lists[3] = {bounded(t->ints, t->nints), bounded(t->addresses, t->naddresses), bounded(numbers, t->ntypes)};
  size_t most = LG_NUMBERS(20), len = strlen(name);
  for (int i = 0; i < 3; i++) {
    lg_array_ahead(u, lists[i].v, &lists[i].a);
    most += lg_array_bytes(&lists[i].a);
  }
  unsigned char *p = lg_event_begin(u, most + len);
  if (p) {
    p = lg_event_head(p, LG_USE_DEFINE, LG_DEF_TYPE);
    p = lg_put_u(p, t->index);
    p = lg_put_u(p, (uint64_t)t->combiner);
    p = lg_put_u(p, len);
    memcpy(p, name, len);
    p += len;
    const int64_t sizes[] = {t->size, t->lb, t->extent, t->true_lb, t->true_extent};
    for (int i = 0; i < 5; i++)
      p = lg_put_s(p, sizes[i]);
    for (int i = 0; i < 3; i++)
      p = lg_array_write(p, lists[i].v, &lists[i].a);
    lg_event_end(u, p);
  }
  free(numbers);
}

/* describe asks MPI about a handle that is a type, with the types it is made of. */
static struct lg_dtype *describe(struct lg_usage *u, long handle)
{
  struct lg_contents k;
  int combiner;
  char name[LG_MAX_NAME] = "";
  if (!lg_contents_askable() || !lg_contents_envelope(handle, &k, &combiner))
    return NULL;
  struct lg_dtype *t = lg_type_add(handle);
  if (!t)
    return NULL;
  t->combiner = lg_combiner(combiner);
  lg_contents_sizes(t);
  if (t->combiner == LG_NAMED)
    lg_contents_name(handle, name);
  else if (lg_contents_take(t, &k))
    for (int64_t i = 0; i < t->ntypes; i++)
      t->types[i] = inner(u, lg_contents_handle(&k, i));
  lg_contents_free(&k);
  define(u, t, name);
  return t;
}

/* ---- from handles to numbers ---- */

static bool predefined(long handle)
{
  uint32_t n;
  const long *list = lg_predefined_types(&n);
  for (uint32_t i = 0; i < n; i++)
    if (list[i] == handle)
      return true;
  return false;
}

static struct lg_dtype *known(struct lg_usage *u, long handle)
{
  struct lg_dtype *t = lg_type_find(handle);
  if (!t && predefined(handle) && (t = describe(u, handle)) != NULL)
    lg_type_enter(t);
  return t;
}

int64_t lg_type_index(struct lg_usage *u, int64_t handle, bool fortran)
{
  int64_t key = fortran ? handle | FORTRAN_MARK : handle;
  struct lg_known_type *k = &u->types[(key ^ key >> 6 ^ key >> 12) & (LG_KNOWN_TYPES - 1)];
  if (likely(k->gen == lg_type_gen && k->handle == key))
    return k->index;
  long h = fortran ? lg_f2c(P_datatype, (int)handle) : handle;
  if (lg_is_null(P_datatype, h))
    return LG_USE_NULL;
  struct lg_dtype *t = known(u, h);
  if (!t)
    return lg_freed_number(P_datatype, h);
  *k = (struct lg_known_type){key, lg_type_gen, t->index};
  return t->index;
}

int64_t lg_type_made(struct lg_usage *u, long handle, bool constructed)
{
  if (lg_is_null(P_datatype, handle))
    return LG_USE_NULL;
  struct lg_dtype *t = known(u, handle);
  if (t && (!constructed || !lg_type_derived(t))) {
    t->refs++;
    return t->index;
  }
  if (t) { /* its end was not seen */
    lg_type_forget(t);
    t->refs = 0;
    lg_type_hold(t);
    lg_type_drop(t);
  }
  t = describe(u, handle);
  if (!t || !lg_type_enter(t))
    return LG_USE_INVALID;
  lg_type_gen++;
  return t->index;
}

int64_t lg_type_contained(int64_t of, uint32_t k, long handle)
{
  struct lg_dtype *whole = lg_type_at(of), *t = whole && k < whole->ntypes ? whole->types[k] : NULL;
  if (!t || t->handle != handle || !lg_type_derived(t))
    return -1;
  struct lg_dtype *now = lg_type_find(handle);
  if (!now) { /* the program had freed its handle */
    if (!lg_type_enter(t))
      return -1;
    lg_type_gen++;
  } else if (now != t) {
    return -1;
  }
  t->refs++;
  return t->index;
}

void lg_type_gone(int64_t index)
{
  struct lg_dtype *t = lg_type_at(index);
  if (!t || t->combiner == LG_NAMED || !t->refs || --t->refs)
    return;
  lg_freed_put(P_datatype, t->handle, t->index);
  lg_type_forget(t);
  lg_type_hold(t);
  lg_type_drop(t);
}

uint32_t lg_type_contents(long handle)
{
  struct lg_dtype *t = lg_type_find(handle);
  return t ? (uint32_t)t->ntypes : 0;
}
