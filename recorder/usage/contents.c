#include <stdlib.h>
#include <string.h>
#include "file/rank.h"
#include "mpi/family.h"
#include "mpi/symbol.h"
#include "usage/contents.h"

#define MAX_CONTENTS (1 << 24)

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

void lg_contents_start(void)
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

bool lg_contents_askable(void)
{
  return lg_mpi_usable() && mpi.envelope && mpi.contents && mpi.size && mpi.extent && mpi.true_extent && mpi.name && mpi.free;
}

bool lg_contents_envelope(long handle, struct lg_contents *k, int *combiner)
{
  int n[3] = {0, 0, 0};
  *k = (struct lg_contents){0};
  if (mpi.envelope_c && mpi.contents_c)
    return !mpi.envelope_c(handle, &k->ni, &k->na, &k->nc, &k->nd, combiner);
  if (mpi.envelope(handle, &n[0], &n[1], &n[2], combiner))
    return false;
  k->ni = n[0];
  k->na = n[1];
  k->nd = n[2];
  return true;
}

void lg_contents_free(struct lg_contents *k)
{
  free(k->ints);
  free(k->addresses);
  free(k->counts);
  free(k->handles);
}

static bool fetch(long handle, struct lg_contents *k)
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

long lg_contents_handle(const struct lg_contents *k, int64_t i)
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
static void settle(struct lg_dtype *t, const struct lg_contents *k)
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

/* settle_array does so with the constants among what an array constructor was given. */
static void settle_array(struct lg_dtype *t)
{
  bool distributed = t->combiner == LG_DARRAY;
  int64_t dims = distributed ? 2 : 0, n = t->nints > dims ? t->ints[dims] : -1, *arrays = t->ints + dims + 1;
  if (n < 0 || t->nints != dims + 2 + (distributed ? 4 : 3) * n)
    return;
  lg_array_constants(t->ints + t->nints - 1, arrays + n, arrays + 2 * n, distributed ? n : 0);
}

bool lg_contents_take(struct lg_dtype *t, struct lg_contents *k)
{
  t->ints = malloc((size_t)(k->ni + k->nc + 1) * sizeof *t->ints);
  t->addresses = malloc((size_t)(k->na + k->nc + 1) * sizeof *t->addresses);
  t->types = calloc((size_t)k->nd + 1, sizeof(struct lg_dtype *));
  if (!t->ints || !t->addresses || !t->types || !fetch(t->handle, k))
    return false;
  settle(t, k);
  if (t->combiner == LG_SUBARRAY || t->combiner == LG_DARRAY)
    settle_array(t);
  t->ntypes = k->nd;
  return true;
}

void lg_contents_sizes(struct lg_dtype *t)
{
  mpi.size(t->handle, &t->size);
  mpi.extent(t->handle, &t->lb, &t->extent);
  mpi.true_extent(t->handle, &t->true_lb, &t->true_extent);
}

void lg_contents_name(long handle, char *name)
{
  int len = 0;
  mpi.name(handle, name, &len);
}

void lg_contents_give_back(long handle)
{
  int half = (int)handle;
  mpi.free(lg_fam.handle_bytes == 4 ? (void *)&half : (void *)&handle);
}
