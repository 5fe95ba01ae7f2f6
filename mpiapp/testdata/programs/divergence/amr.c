// np: 5
// odd: 3
// kind: skipped
// call: MPI_Allgather 85
// branch: -
// why: the pool of one rank is used up, and amr_step returns the error before the gather of loads that the others make

// Adaptive mesh on a pool of patches: choose dt, refine, balance.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AMR_OK, AMR_NOSPACE, AMR_BADLEVEL };

typedef struct patch {
  int level;
  double error;
  struct patch *next;
} patch_t;

typedef struct {
  patch_t *slots;
  int used, size;
} pool_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  pool_t pool;
  patch_t *first;
  double *loads; /* pairs of patches and weight, one of each rank */
} amr_t;

static patch_t *pool_take(pool_t *p)
{
  if (p->used >= p->size)
    return NULL;
  return &p->slots[p->used++];
}

static int amr_add(amr_t *a, int level, double error)
{
  patch_t *p = pool_take(&a->pool);
  if (!p)
    return AMR_NOSPACE;
  p->level = level;
  p->error = error;
  p->next = a->first;
  a->first = p;
  return AMR_OK;
}

static int refine(amr_t *a, int step)
{
  for (patch_t *p = a->first; p; p = p->next) {
    p->error *= 1.01;
    if (p->level > 20)
      return AMR_BADLEVEL;
  }
  if (step % 3 == 0)
    return amr_add(a, 1 + step % 4, 0.5);
  return AMR_OK;
}

static double choose_dt(const amr_t *a)
{
  double mine = 1, least;
  for (const patch_t *p = a->first; p; p = p->next) {
    double dt = 0.5 / (1 << p->level);
    if (dt < mine)
      mine = dt;
  }
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, a->comm);
  return least;
}

static double imbalance(amr_t *a)
{
  double mine[2] = {0, 0}, most = 0, sum = 0;
  for (const patch_t *p = a->first; p; p = p->next) {
    mine[0] += 1;
    mine[1] += 1 << p->level;
  }
  MPI_Allgather(mine, 2, MPI_DOUBLE, a->loads, 2, MPI_DOUBLE, a->comm);
  for (int r = 0; r < a->size; r++) {
    sum += a->loads[2 * r + 1];
    if (a->loads[2 * r + 1] > most)
      most = a->loads[2 * r + 1];
  }
  return sum > 0 ? most * a->size / sum : 1;
}

static int amr_step(amr_t *a, int step, double *time, double *worst)
{
  double now;
  int rc;
  *time += choose_dt(a);
  rc = refine(a, step);
  if (rc != AMR_OK)
    return rc;
  now = imbalance(a);
  if (now > *worst)
    *worst = now;
  return AMR_OK;
}

int main(int argc, char **argv)
{
  amr_t a = {0};
  double time = 0, worst = 0;
  int warnings = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &a.comm);
  MPI_Comm_rank(a.comm, &a.rank);
  MPI_Comm_size(a.comm, &a.size);
  int small = argc > 1 && strcmp(argv[1], "hang") == 0;
  a.pool.size = small && a.rank == 3 ? 20 : 40;
  a.pool.slots = calloc(a.pool.size, sizeof *a.pool.slots);
  a.loads = calloc(2 * a.size, sizeof *a.loads);
  amr_add(&a, 0, 1);
  for (int step = 1; step <= 80; step++) {
    if (amr_step(&a, step, &time, &worst) != AMR_OK)
      warnings++;
  }
  if (a.rank == 0)
    printf("time %g, imbalance %g, %d warnings\n", time, worst, warnings);
  free(a.pool.slots);
  free(a.loads);
  MPI_Comm_free(&a.comm);
  MPI_Finalize();
  return warnings > 0;
}
