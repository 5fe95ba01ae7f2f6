// np: 4
// odd: 2
// kind: order
// call: MPI_Win_free 58
// branch: -
// why: windows are freed the largest local part first, and on one rank another window is the largest (line 68)

// Shared counters and fields in windows that a small library keeps and frees.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4
#define STEPS 20

typedef struct {
  const char *name;
  MPI_Win win;
  double *base;
  int cells;
} region_t;

typedef struct {
  MPI_Comm comm;
  int rank, size, n;
  region_t regions[MOST];
} store_t;

static void store_open(store_t *s, MPI_Comm comm)
{
  memset(s, 0, sizeof *s);
  MPI_Comm_dup(comm, &s->comm);
  MPI_Comm_rank(s->comm, &s->rank);
  MPI_Comm_size(s->comm, &s->size);
}

static int store_region(store_t *s, const char *name, int cells)
{
  region_t *r = &s->regions[s->n];
  r->name = name;
  r->cells = cells;
  r->base = calloc(cells, sizeof *r->base);
  MPI_Win_create(r->base, cells * (MPI_Aint)sizeof *r->base, sizeof *r->base, MPI_INFO_NULL, s->comm, &r->win);
  return s->n++;
}

static region_t *store_find(store_t *s, const char *name)
{
  for (int i = 0; i < s->n; i++)
    if (strcmp(s->regions[i].name, name) == 0)
      return &s->regions[i];
  return NULL;
}

static void region_release(region_t *r)
{
  MPI_Win_free(&r->win);
  free(r->base);
  r->base = NULL;
}

static int larger_first(const void *a, const void *b)
{
  const region_t *x = a, *y = b;
  if (x->cells == y->cells)
    return strcmp(x->name, y->name);
  return x->cells > y->cells ? -1 : 1;
}

/* Memory comes back in large pieces first, which the allocator likes. */
static void store_close(store_t *s)
{
  qsort(s->regions, s->n, sizeof *s->regions, larger_first);
  for (int i = 0; i < s->n; i++)
    region_release(&s->regions[i]);
  MPI_Comm_free(&s->comm);
}

static void put_next(store_t *s, region_t *r, double value)
{
  int to = (s->rank + 1) % s->size;
  MPI_Win_fence(0, r->win);
  MPI_Put(&value, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, r->win);
  MPI_Win_fence(0, r->win);
}

static double relax(region_t *r)
{
  double sum = 0;
  for (int i = 1; i < r->cells; i++) {
    r->base[i] = 0.5 * (r->base[i] + r->base[i - 1]);
    sum += r->base[i];
  }
  return sum;
}

int main(int argc, char **argv)
{
  store_t store;
  double mine = 0, sum = 0;
  MPI_Init(&argc, &argv);
  int skewed = argc > 1 && strcmp(argv[1], "hang") == 0;
  store_open(&store, MPI_COMM_WORLD);
  store_region(&store, "tracers", skewed && store.rank == 2 ? 96 : 32);
  store_region(&store, "pressure", 64);
  for (int step = 0; step < STEPS; step++) {
    put_next(&store, store_find(&store, "pressure"), step);
    put_next(&store, store_find(&store, "tracers"), 2 * step);
    mine = relax(store_find(&store, "pressure")) + relax(store_find(&store, "tracers"));
  }
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, store.comm);
  if (store.rank == 0)
    printf("sum %s\n", sum > 0 ? "positive" : "not positive");
  store_close(&store);
  MPI_Finalize();
  return 0;
}
