// np: 4
// odd: 2
// kind: skipped
// call: MPI_Allreduce 31
// branch: 97
// why: the rank whose slab has lost its last particle returns from kinetic_energy before the sum that all others make

// Charged particles in slabs along x: push, migrate to the neighbours, diagnose.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_RANK 48
#define STEPS 80

typedef struct {
  int n, capacity;
  double *x, *v, *weight;
} species_t;

typedef struct {
  MPI_Comm comm;
  int rank, size, left, right;
  double lo, hi;
} domain_t;

static double comm_allreduce_sum(const domain_t *d, double x)
{
  double sum = 0;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, d->comm);
  return sum;
}

static void species_add(species_t *s, double x, double v, double weight)
{
  if (s->n == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 16;
    s->x = realloc(s->x, s->capacity * sizeof *s->x);
    s->v = realloc(s->v, s->capacity * sizeof *s->v);
    s->weight = realloc(s->weight, s->capacity * sizeof *s->weight);
  }
  s->x[s->n] = x;
  s->v[s->n] = v;
  s->weight[s->n++] = weight;
}

static void species_remove(species_t *s, int i)
{
  s->n--;
  s->x[i] = s->x[s->n];
  s->v[i] = s->v[s->n];
  s->weight[i] = s->weight[s->n];
}

static void push(species_t *s, double end)
{
  for (int i = 0; i < s->n; i++) {
    s->x[i] += s->v[i];
    if (s->x[i] < 0 || s->x[i] > end) {
      s->v[i] = -s->v[i];
      s->x[i] += 2 * s->v[i];
    }
  }
}

/* Hand what has crossed one border over to the neighbour there, and take what comes. */
static void migrate_one_way(const domain_t *d, species_t *s, int to, int from, int upward)
{
  double out[3 * 4 * PER_RANK], in[3 * 4 * PER_RANK];
  int n = 0, got = 0;
  MPI_Status status;
  for (int i = s->n - 1; i >= 0; i--) {
    if (upward ? s->x[i] >= d->hi && to != MPI_PROC_NULL : s->x[i] < d->lo && to != MPI_PROC_NULL) {
      out[n++] = s->x[i];
      out[n++] = s->v[i];
      out[n++] = s->weight[i];
      species_remove(s, i);
    }
  }
  MPI_Sendrecv(out, n, MPI_DOUBLE, to, 11, in, 3 * 4 * PER_RANK, MPI_DOUBLE, from, 11, d->comm, &status);
  if (from != MPI_PROC_NULL)
    MPI_Get_count(&status, MPI_DOUBLE, &got);
  for (int i = 0; i < got; i += 3)
    species_add(s, in[i], in[i + 1], in[i + 2]);
}

static void migrate(const domain_t *d, species_t *s)
{
  migrate_one_way(d, s, d->right, d->left, 1);
  migrate_one_way(d, s, d->left, d->right, 0);
}

static double kinetic_energy(const domain_t *d, const species_t *s)
{
  double e = 0;
  if (s->n == 0)
    return 0;
  for (int i = 0; i < s->n; i++)
    e += 0.5 * s->weight[i] * s->v[i] * s->v[i];
  return comm_allreduce_sum(d, e);
}

static double head_count(const domain_t *d, const species_t *s)
{
  return comm_allreduce_sum(d, s->n);
}

int main(int argc, char **argv)
{
  species_t electrons = {0};
  domain_t d = {.comm = MPI_COMM_NULL};
  double energy = 0, heads = 0;
  int periods = 0;
  MPI_Init(&argc, &argv);
  int drift = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_size(MPI_COMM_WORLD, &d.size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &d.size, &periods, 0, &d.comm);
  MPI_Comm_rank(d.comm, &d.rank);
  MPI_Cart_shift(d.comm, 0, 1, &d.left, &d.right);
  d.lo = d.rank;
  d.hi = d.rank + 1;
  /* A beam that starts in the third slab drifts to the last one. */
  for (int i = 0; i < PER_RANK; i++)
    species_add(&electrons, d.lo + (i + 0.5) / PER_RANK, d.rank == 2 ? (drift ? 0.02 : 0.002) : 0, 1);
  for (int step = 0; step < STEPS; step++) {
    push(&electrons, d.size);
    migrate(&d, &electrons);
    energy = kinetic_energy(&d, &electrons);
    heads = head_count(&d, &electrons);
  }
  if (d.rank == 0)
    printf("energy %g of %.0f particles\n", energy, heads);
  free(electrons.x);
  free(electrons.v);
  free(electrons.weight);
  MPI_Comm_free(&d.comm);
  MPI_Finalize();
  return 0;
}
