// np: 4
// odd: 3
// kind: arguments
// call: MPI_Allgather 62
// branch: -
// why: one rank has activated a fifth species by its own temperature and gathers five numbers where others gather four (line 44)
// ends: yes

// Reacting cells, with the species that are switched on as it gets hot.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8
#define STEPS 70

typedef struct {
  const char *name;
  double threshold; /* temperature above which the species counts */
} entry_t;

typedef struct {
  int active;
  double mass[MOST];
} mixture_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  double temperature, heating;
  mixture_t mix;
  double *totals;
} reactor_t;

static const entry_t registry[] = {
  {"H2", 0}, {"O2", 0}, {"N2", 0}, {"H2O", 0}, {"NO", 1500}, {"OH", 2500},
};

static void activate(reactor_t *r)
{
  for (size_t i = 0; i < sizeof registry / sizeof *registry; i++) {
    if (r->temperature > registry[i].threshold && (int)i == r->mix.active)
      r->mix.mass[r->mix.active++] = 1e-6;
  }
}

static void react(reactor_t *r, double dt)
{
  double rate = exp(-2000 / r->temperature);
  r->temperature += dt * r->heating;
  for (int s = 1; s < r->mix.active; s++) {
    double moved = dt * rate * r->mix.mass[s - 1];
    r->mix.mass[s - 1] -= moved;
    r->mix.mass[s] += moved;
  }
}

static int comm_gather_all(const reactor_t *r, const double *x, int n)
{
  return MPI_Allgather(x, n, MPI_DOUBLE, r->totals, n, MPI_DOUBLE, r->comm);
}

static double total_mass(reactor_t *r)
{
  double sum = 0;
  comm_gather_all(r, r->mix.mass, r->mix.active);
  for (int i = 0; i < r->size * r->mix.active; i++)
    sum += r->totals[i];
  return sum;
}

static double hottest(const reactor_t *r)
{
  double most;
  MPI_Allreduce(&r->temperature, &most, 1, MPI_DOUBLE, MPI_MAX, r->comm);
  return most;
}

static void reactor_make(reactor_t *r, MPI_Comm comm, double heating)
{
  memset(r, 0, sizeof *r);
  MPI_Comm_dup(comm, &r->comm);
  MPI_Comm_rank(r->comm, &r->rank);
  MPI_Comm_size(r->comm, &r->size);
  r->totals = calloc(MOST * r->size, sizeof *r->totals);
  r->temperature = 300;
  r->heating = r->rank == 3 ? heating : 100;
  activate(r);
  for (int s = 0; s < 4; s++)
    r->mix.mass[s] = 1;
}

static void reactor_drop(reactor_t *r)
{
  free(r->totals);
  MPI_Comm_free(&r->comm);
}

int main(int argc, char **argv)
{
  reactor_t r;
  double mass = 0, most = 0;
  MPI_Init(&argc, &argv);
  reactor_make(&r, MPI_COMM_WORLD, argc > 1 && strcmp(argv[1], "hang") == 0 ? 400 : 100);
  for (int step = 0; step < STEPS; step++) {
    react(&r, 0.1);
    activate(&r);
    most = hottest(&r);
    mass = total_mass(&r);
  }
  if (r.rank == 0)
    printf("mass %g, at most %g K, %d species\n", mass, most, r.mix.active);
  reactor_drop(&r);
  MPI_Finalize();
  return 0;
}
