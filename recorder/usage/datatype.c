#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/leb.h"
#include "file/rank.h"
#include "format.h"
#include "identity/freed.h"
#include "mpi/family.h"
#include "mpi/symbol.h"
#include "mpi/table.h"
#include "usage/constants.h"
#include "usage/datatype.h"
#include "usage/event.h"

#define MAX_CONTENTS (1 << 24)
#define FIRST_TYPES 256
#define FORTRAN_MARK (1l << 62) /* in the key of a Fortran handle: no C handle has this bit */
#define MAX_NAME 256 /* at least MPI_MAX_OBJECT_NAME */

static struct lg_dtype **types; /* by index */
static uint32_t ntypes, room;
static struct lg_dtype **table; /* by handle; those that are no longer there are `gone` */
static uint32_t table_size, table_used;
static struct lg_dtype gone;
uint32_t lg_type_gen = 1;

typedef int64_t count;
static struct {
  long (*envelope)(long, int *, int *, int *, int *);
  long (*contents)(long, long, long, long, int *, long *, void *);
  long (*envelope_c)(long, count *, count *, count *, count *, int *);
  long (*contents_c)(long, count, count, count, count, int *, long *, count *, void *);
  long (*size)(long, count *), (*extent)(long, count *, count *), (*true_extent)(long, count *, count *);
  long (*name)(long, char *, int *);
  long (*free)(void *);
} mpi;

void lg_types_start(void)
{
  mpi.envelope = (long (*)(long, int *, int *, int *, int *))lg_find_symbol("PMPI_Type_get_envelope");
  mpi.contents = (long (*)(long, long, long, long, int *, long *, void *))lg_find_symbol("PMPI_Type_get_contents");
  mpi.envelope_c = (long (*)(long, count *, count *, count *, count *, int *))lg_find_symbol("PMPI_Type_get_envelope_c");
  mpi.contents_c = (long (*)(long, count, count, count, count, int *, long *, count *, void *))lg_find_symbol("PMPI_Type_get_contents_c");
  mpi.size = (long (*)(long, count *))lg_find_symbol("PMPI_Type_size_x");
  mpi.extent = (long (*)(long, count *, count *))lg_find_symbol("PMPI_Type_get_extent_x");
  mpi.true_extent = (long (*)(long, count *, count *))lg_find_symbol("PMPI_Type_get_true_extent_x");
  mpi.name = (long (*)(long, char *, int *))lg_find_symbol("PMPI_Type_get_name");
  mpi.free = (long (*)(void *))lg_find_symbol("PMPI_Type_free");
}

static bool askable(void)
{
  return lg_mpi_usable() && mpi.envelope && mpi.contents && mpi.size && mpi.extent && mpi.true_extent && mpi.name && mpi.free;
}

/* ---- the table ---- */

static struct lg_dtype **slot_of(long handle)
{
  uint32_t k = (uint32_t)(lg_mix(0, (uint64_t)handle) >> 20) & (table_size - 1);
  while (table[k] && (table[k] == &gone || table[k]->handle != handle))
    k = (k + 1) & (table_size - 1);
  return &table[k];
}

static struct lg_dtype *find(long handle)
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

static bool enter(struct lg_dtype *t)
{
  if (table_used * 2 >= table_size && !grow())
    return false;
  struct lg_dtype **s = slot_of(t->handle);
  table_used += *s == NULL;
  *s = t;
  return true;
}

static void forget(struct lg_dtype *t)
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

static struct lg_dtype *add(long handle)
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

/* ---- what MPI says of a type ---- */

struct contents {
  count ni, na, nc, nd; /* nc: large counts, of the _c constructors */
  int *ints;
  long *addresses;
  count *counts;
  char *handles;
};

static bool envelope(long handle, struct contents *k, int *combiner)
{
  int n[3] = {0, 0, 0};
  *k = (struct contents){0};
  if (mpi.envelope_c && mpi.contents_c)
    return !mpi.envelope_c(handle, &k->ni, &k->na, &k->nc, &k->nd, combiner);
  if (mpi.envelope(handle, &n[0], &n[1], &n[2], combiner))
    return false;
  k->ni = n[0];
  k->na = n[1];
  k->nd = n[2];
  return true;
}

static void contents_free(struct contents *k)
{
  free(k->ints);
  free(k->addresses);
  free(k->counts);
  free(k->handles);
}

static bool contents(long handle, struct contents *k)
{
  if (k->ni + k->na + k->nc + k->nd > MAX_CONTENTS)
    return false;
  k->ints = calloc((size_t)k->ni + 1, sizeof *k->ints);
  k->addresses = calloc((size_t)k->na + 1, sizeof *k->addresses);
  k->counts = calloc((size_t)k->nc + 1, sizeof *k->counts);
  k->handles = calloc((size_t)k->nd + 1, sizeof(long));
  if (!k->ints || !k->addresses || !k->counts || !k->handles)
    return false;
  if (mpi.envelope_c && mpi.contents_c)
    return !mpi.contents_c(handle, k->ni, k->na, k->nc, k->nd, k->ints, k->addresses, k->counts, k->handles);
  return !mpi.contents(handle, k->ni, k->na, k->nd, k->ints, k->addresses, k->handles);
}

static long handle_at(const struct contents *k, count i)
{
  return lg_fam.handle_bytes == 4 ? ((const int *)k->handles)[i] : ((const long *)k->handles)[i];
}

static void append_ints(struct lg_dtype *t, const int *v, count n)
{
  for (count i = 0; i < n; i++)
    t->ints[t->nints++] = v[i];
}

static void append_counts(struct lg_dtype *t, const count *v, count n)
{
  memcpy(t->ints + t->nints, v, (size_t)n * sizeof *v);
  t->nints += n;
}

/* settle brings the contents into the form that MPI_Type_get_contents has for
 * types with ordinary counts. */
static void settle(struct lg_dtype *t, const struct contents *k)
{
  count ahead = t->combiner == LG_SUBARRAY ? 1 : t->combiner == LG_DARRAY ? 3 : 0, addresses = 0;
  if (k->nc && ahead > k->ni)
    ahead = 0;
  if (k->nc && (t->combiner == LG_HVECTOR))
    addresses = 1;
  if (k->nc && (t->combiner == LG_HINDEXED || t->combiner == LG_STRUCT))
    addresses = k->nc / 2;
  if (k->nc && t->combiner == LG_HINDEXED_BLOCK)
    addresses = k->nc - 2;
  if (k->nc && t->combiner == LG_RESIZED)
    addresses = k->nc;
  append_ints(t, k->ints, ahead);
  append_counts(t, k->counts, k->nc - addresses);
  append_ints(t, k->ints + ahead, k->ni - ahead);
  for (count i = 0; i < k->na; i++)
    t->addresses[t->naddresses++] = k->addresses[i];
  for (count i = 0; i < addresses; i++)
    t->addresses[t->naddresses++] = k->counts[k->nc - addresses + i];
}

static struct lg_dtype *describe(struct lg_usage *u, long handle);

/* inner takes over a type that another one is made of, and gives the handle back. */
static struct lg_dtype *inner(struct lg_usage *u, long handle)
{
  struct lg_dtype *t = find(handle), *made = NULL;
  if (!t)
    t = made = describe(u, handle);
  if (!t)
    return NULL;
  lg_type_hold(t);
  if (made)
    made->refs = 0; /* nobody has its handle */
  if (lg_type_derived(t)) {
    int half = (int)handle;
    mpi.free(lg_fam.handle_bytes == 4 ? (void *)&half : (void *)&handle);
  }
  return t;
}

static bool take_contents(struct lg_usage *u, struct lg_dtype *t, struct contents *k)
{
  t->ints = malloc((size_t)(k->ni + k->nc + 1) * sizeof *t->ints);
  t->addresses = malloc((size_t)(k->na + k->nc + 1) * sizeof *t->addresses);
  t->types = calloc((size_t)k->nd + 1, sizeof(struct lg_dtype *));
  if (!t->ints || !t->addresses || !t->types || !contents(t->handle, k))
    return false;
  settle(t, k);
  t->ntypes = k->nd;
  for (count i = 0; i < k->nd; i++)
    t->types[i] = inner(u, handle_at(k, i));
  return true;
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
  size_t most = 200, len = strlen(name);
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
  struct contents k;
  int combiner, len = 0;
  char name[MAX_NAME] = "";
  if (!askable() || !envelope(handle, &k, &combiner))
    return NULL;
  struct lg_dtype *t = add(handle);
  if (!t)
    return NULL;
  t->combiner = combiner - lg_fam.combiner_named;
  mpi.size(handle, &t->size);
  mpi.extent(handle, &t->lb, &t->extent);
  mpi.true_extent(handle, &t->true_lb, &t->true_extent);
  if (t->combiner == LG_NAMED)
    mpi.name(handle, name, &len);
  else
    take_contents(u, t, &k);
  contents_free(&k);
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
  struct lg_dtype *t = find(handle);
  if (!t && predefined(handle) && (t = describe(u, handle)) != NULL)
    enter(t);
  return t;
}

int64_t lg_type_index(struct lg_usage *u, int64_t handle, bool fortran)
{
  int64_t key = fortran ? handle | FORTRAN_MARK : handle;
  struct lg_known_type *k = &u->types[(key ^ key >> 6 ^ key >> 12) & 63];
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
    forget(t);
    t->refs = 0;
    lg_type_hold(t);
    lg_type_drop(t);
  }
  t = describe(u, handle);
  if (!t || !enter(t))
    return LG_USE_INVALID;
  lg_type_gen++;
  return t->index;
}

void lg_type_gone(int64_t index)
{
  struct lg_dtype *t = lg_type_at(index);
  if (!t || t->combiner == LG_NAMED || !t->refs || --t->refs)
    return;
  lg_freed_put(P_datatype, t->handle, t->index);
  forget(t);
  lg_type_hold(t);
  lg_type_drop(t);
}

uint32_t lg_type_contents(long handle)
{
  struct lg_dtype *t = find(handle);
  return t ? (uint32_t)t->ntypes : 0;
}
