// np: 4
// odd: 2
// kind: arguments
// call: MPI_Bcast 86
// branch: -
// why: the owner after balancing is taken from times that each rank rounds itself, and rank 2 names another root (line 62)

// Right-looking factorisation with panels that change their owners by load.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 12
#define PANELS 60

typedef struct {
  int owner;
  double a[WIDTH];
} panel_t;

typedef struct {
  MPI_Comm comm;
  int rank, size, coarse;
  double *times; /* of every rank, as known here */
  panel_t *panels;
} matrix_t;

static void matrix_make(matrix_t *m, MPI_Comm comm, int coarse)
{
  m->comm = comm;
  MPI_Comm_rank(comm, &m->rank);
  MPI_Comm_size(comm, &m->size);
  m->coarse = coarse;
  m->times = calloc(m->size, sizeof *m->times);
  m->panels = calloc(PANELS, sizeof *m->panels);
  for (int k = 0; k < PANELS; k++) {
    m->panels[k].owner = k % m->size;
    for (int i = 0; i < WIDTH; i++)
      m->panels[k].a[i] = 1 + (k + i) % 5;
  }
}

static void matrix_drop(matrix_t *m)
{
  free(m->times);
  free(m->panels);
}

/* What the clock of this rank resolves. */
static double resolved(const matrix_t *m, double seconds)
{
  if (m->coarse)
    return (double)(long)(seconds * 10) / 10;
  return seconds;
}

static int fastest(const matrix_t *m)
{
  int best = 0;
  for (int r = 1; r < m->size; r++) {
    if (resolved(m, m->times[r]) < resolved(m, m->times[best]))
      best = r;
  }
  return best;
}

static void share_times(matrix_t *m, int k)
{
  double mine = 1.75 - 0.01 * m->rank + 0.2 * (k % 3);
  if (m->rank == 3)
    mine += 1;
  MPI_Allgather(&mine, 1, MPI_DOUBLE, m->times, 1, MPI_DOUBLE, m->comm);
}

static void rebalance(matrix_t *m, int k)
{
  share_times(m, k);
  if (k >= 32)
    for (int i = k; i < k + 4; i++)
      m->panels[i].owner = fastest(m);
}

static void bcast_panel(matrix_t *m, panel_t *p)
{
  MPI_Bcast(p->a, WIDTH, MPI_DOUBLE, p->owner, m->comm);
}

static double update(matrix_t *m, int k)
{
  const double *pivot = m->panels[k].a;
  double mine = 0, most = 0;
  for (int j = k + 1; j < PANELS; j++) {
    if (m->panels[j].owner != m->rank)
      continue;
    for (int i = 0; i < WIDTH; i++) {
      m->panels[j].a[i] -= 0.01 * pivot[i];
      if (m->panels[j].a[i] > mine)
        mine = m->panels[j].a[i];
    }
  }
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, m->comm);
  return most;
}

int main(int argc, char **argv)
{
  matrix_t m;
  double growth = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  matrix_make(&m, MPI_COMM_WORLD, argc > 1 && strcmp(argv[1], "hang") == 0 && rank == 2);
  for (int k = 0; k < PANELS; k++) {
    if (k % 4 == 0)
      rebalance(&m, k);
    bcast_panel(&m, &m.panels[k]);
    growth = update(&m, k);
  }
  if (m.rank == 0)
    printf("growth %g\n", growth);
  matrix_drop(&m);
  MPI_Finalize();
  return 0;
}
