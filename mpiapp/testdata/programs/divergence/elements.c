// np: 4
// odd: 1
// kind: error_path
// call: MPI_Allreduce 92
// branch: -
// why: a degenerate element makes one rank go to its cleanup and to MPI_Finalize, while the others sum the residual (line 63)

// Explicit finite elements in one dimension with moving nodes and a single way out.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)      \
  do {                   \
    rc = (call);         \
    if (rc != FE_OK)     \
      goto out;          \
  } while (0)

enum { FE_OK, FE_NOMEM, FE_DEGENERATE };

typedef struct {
  int n;
  double *node, *velocity, *force;
} mesh_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
} par_t;

static int mesh_alloc(mesh_t *m, int n)
{
  m->n = n;
  m->node = calloc(n, sizeof *m->node);
  m->velocity = calloc(n, sizeof *m->velocity);
  m->force = calloc(n, sizeof *m->force);
  return m->node && m->velocity && m->force ? FE_OK : FE_NOMEM;
}

static void mesh_free(mesh_t *m)
{
  free(m->node);
  free(m->velocity);
  free(m->force);
}

static int mesh_init(mesh_t *m, const par_t *p, double crush)
{
  for (int i = 0; i < m->n; i++) {
    m->node[i] = p->rank * (m->n - 1) + i;
    m->velocity[i] = 0;
  }
  /* One node is driven against its neighbour. */
  m->velocity[m->n / 2] = p->rank == 1 ? crush : 0;
  return FE_OK;
}

static int element_force(mesh_t *m, int e)
{
  double length = m->node[e + 1] - m->node[e];
  if (length <= 0)
    return FE_DEGENERATE;
  m->force[e] += length - 1;
  m->force[e + 1] -= length - 1;
  return FE_OK;
}

static int assemble(mesh_t *m)
{
  memset(m->force, 0, m->n * sizeof *m->force);
  for (int e = 0; e < m->n - 1; e++) {
    int rc = element_force(m, e);
    if (rc != FE_OK)
      return rc;
  }
  return FE_OK;
}

static void move(mesh_t *m, double dt)
{
  for (int i = 0; i < m->n; i++)
    m->node[i] += dt * m->velocity[i];
}

static double residual(const mesh_t *m, const par_t *p)
{
  double mine = 0, sum;
  for (int i = 0; i < m->n; i++)
    mine += m->force[i] * m->force[i];
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, p->comm);
  return sum;
}

static int time_step(mesh_t *m, const par_t *p, double dt, double *res)
{
  int rc;
  move(m, dt);
  CHECK(assemble(m));
  *res = residual(m, p);
out:
  return rc;
}

static int run(const par_t *p, double crush)
{
  mesh_t mesh = {0};
  double res = 0;
  int rc;
  CHECK(mesh_alloc(&mesh, 33));
  CHECK(mesh_init(&mesh, p, crush));
  for (int step = 0; step < 160; step++)
    CHECK(time_step(&mesh, p, 0.01, &res));
  if (p->rank == 0)
    printf("residual %g\n", res);
out:
  mesh_free(&mesh);
  return rc;
}

int main(int argc, char **argv)
{
  par_t p = {.comm = MPI_COMM_WORLD};
  int rc;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(p.comm, &p.rank);
  MPI_Comm_size(p.comm, &p.size);
  rc = run(&p, argc > 1 && strcmp(argv[1], "hang") == 0 ? 0.9 : 0.3);
  if (rc != FE_OK)
    fprintf(stderr, "rank %d: error %d\n", p.rank, rc);
  MPI_Finalize();
  return rc;
}
