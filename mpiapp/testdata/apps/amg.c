/* A solver in the manner of an implicit heat code: 3-D seven-point problems over
 * a grid of boxes, one box a rank, one solve a time step, by conjugate gradients
 * preconditioned with hypre's BoomerAMG. Prints the residual of each step as
 * hypre and as we compute it, and fails where they are not small.
 *
 *   amg [-n POINTS] [-N STEPS] [-t TOLERANCE]     POINTS in each direction
 *
 * Needs HYPRE: mpicc -O1 -g -I/usr/include/hypre amg.c -o amg -lHYPRE -lm */
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Every function is to be found on the stack. */
#define KEPT __attribute__((noinline))

struct options {
  int n, steps;
  double tolerance;
};

/* A box of the grid: points low to low+size-1 in each direction. */
struct box {
  int low[3], size[3];
};

/* The grid, and who has which box. Rows are numbered box by box. */
struct grid {
  int n, rank, ranks;
  int dims[3];
  struct box *boxes;     /* of all ranks */
  HYPRE_BigInt *first;   /* row of each box */
};

struct problem {
  struct grid grid;
  double weight; /* of the old state, 1/dt */
  HYPRE_IJMatrix ij_matrix;
  HYPRE_IJVector ij_rhs, ij_state, ij_residual;
  HYPRE_ParCSRMatrix matrix;
  HYPRE_ParVector rhs, state, residual;
  HYPRE_BigInt *rows; /* of this rank */
  double *values;     /* one for each of them */
  HYPRE_Solver pcg, amg;
  int cycles; /* of the preconditioner */
};

static KEPT void fail(const char *what, int code)
{
  fprintf(stderr, "amg: %s failed with %d\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call)             \
  do {                          \
    int code_ = (call);         \
    if (code_)                  \
      fail(#call, code_);       \
  } while (0)

static KEPT void *allocate(size_t count, size_t size)
{
  void *p = calloc(count ? count : 1, size);
  if (!p)
    fail("calloc", (int)count);
  return p;
}

static KEPT void parse(int argc, char **argv, struct options *o)
{
  int c;
  o->n = 32, o->steps = 100, o->tolerance = 1e-8;
  while ((c = getopt(argc, argv, "n:N:t:")) != -1) {
    if (c == 'n')
      o->n = atoi(optarg);
    else if (c == 'N')
      o->steps = atoi(optarg);
    else if (c == 't')
      o->tolerance = atof(optarg);
    else
      fail("option", c);
  }
  if (o->n < 1 || o->steps < 1 || !(o->tolerance > 0))
    fail("options: each must be positive", o->n);
}

/* ---- the grid ---- */

static int box_start(int n, int parts, int part) { return (int)((long)n * part / parts); }

static KEPT void place_box(const struct grid *g, int rank, struct box *b)
{
  int at[3] = {rank % g->dims[0], rank / g->dims[0] % g->dims[1], rank / (g->dims[0] * g->dims[1])};
  for (int d = 0; d < 3; d++) {
    b->low[d] = box_start(g->n, g->dims[d], at[d]);
    b->size[d] = box_start(g->n, g->dims[d], at[d] + 1) - b->low[d];
  }
}

static int points_in(const struct box *b) { return b->size[0] * b->size[1] * b->size[2]; }

static KEPT void make_grid(struct grid *g, int n)
{
  g->n = n;
  MPI_Comm_rank(MPI_COMM_WORLD, &g->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g->ranks);
  g->dims[0] = g->dims[1] = g->dims[2] = 0;
  MPI_Dims_create(g->ranks, 3, g->dims);
  g->boxes = allocate(g->ranks, sizeof *g->boxes);
  g->first = allocate(g->ranks + 1, sizeof *g->first);
  for (int r = 0; r < g->ranks; r++) {
    place_box(g, r, &g->boxes[r]);
    if (points_in(&g->boxes[r]) == 0)
      fail("partition: more ranks than points in a direction", g->ranks);
    g->first[r + 1] = g->first[r] + points_in(&g->boxes[r]);
  }
}

/* part_of is the part of a direction that has coordinate x. */
static int part_of(int n, int parts, int x)
{
  int part = (int)((long)x * parts / n);
  while (x >= box_start(n, parts, part + 1))
    part++;
  return part;
}

static KEPT HYPRE_BigInt row_of(const struct grid *g, const int x[3])
{
  int at[3];
  for (int d = 0; d < 3; d++)
    at[d] = part_of(g->n, g->dims[d], x[d]);
  int r = at[0] + g->dims[0] * (at[1] + g->dims[1] * at[2]);
  const struct box *b = &g->boxes[r];
  return g->first[r] + (x[0] - b->low[0]) +
         (HYPRE_BigInt)b->size[0] * ((x[1] - b->low[1]) + (HYPRE_BigInt)b->size[1] * (x[2] - b->low[2]));
}

/* point is the place of this rank's i-th row. */
static void point(const struct grid *g, int i, int x[3])
{
  const struct box *b = &g->boxes[g->rank];
  x[0] = b->low[0] + i % b->size[0];
  x[1] = b->low[1] + i / b->size[0] % b->size[1];
  x[2] = b->low[2] + i / (b->size[0] * b->size[1]);
}

static KEPT void free_grid(struct grid *g)
{
  free(g->boxes);
  free(g->first);
}

/* ---- assembly ---- */

/* stencil fills in one row: 1/dt + 6 in the middle, -1 for each neighbour. */
static KEPT int stencil(const struct problem *p, int i, HYPRE_BigInt *columns, double *values)
{
  int x[3], entries = 0;
  point(&p->grid, i, x);
  columns[entries] = row_of(&p->grid, x);
  values[entries++] = 6 + p->weight;
  for (int d = 0; d < 3; d++) {
    for (int side = -1; side <= 1; side += 2) {
      int y[3] = {x[0], x[1], x[2]};
      y[d] += side;
      if (y[d] < 0 || y[d] >= p->grid.n)
        continue;
      columns[entries] = row_of(&p->grid, y);
      values[entries++] = -1;
    }
  }
  return entries;
}

static KEPT void assemble(struct problem *p)
{
  const struct grid *g = &p->grid;
  HYPRE_BigInt low = g->first[g->rank], high = g->first[g->rank + 1] - 1, columns[7];
  double values[7];
  CHECK(HYPRE_IJMatrixCreate(MPI_COMM_WORLD, low, high, low, high, &p->ij_matrix));
  CHECK(HYPRE_IJMatrixSetObjectType(p->ij_matrix, HYPRE_PARCSR));
  CHECK(HYPRE_IJMatrixInitialize(p->ij_matrix));
  for (HYPRE_BigInt row = low; row <= high; row++) {
    int entries = stencil(p, (int)(row - low), columns, values);
    CHECK(HYPRE_IJMatrixSetValues(p->ij_matrix, 1, &entries, &row, columns, values));
  }
  CHECK(HYPRE_IJMatrixAssemble(p->ij_matrix));
  CHECK(HYPRE_IJMatrixGetObject(p->ij_matrix, (void **)&p->matrix));
}

static KEPT void fill_vector(struct problem *p, HYPRE_IJVector v, int count)
{
  CHECK(HYPRE_IJVectorSetValues(v, count, p->rows, p->values));
  CHECK(HYPRE_IJVectorAssemble(v));
}

static KEPT HYPRE_ParVector make_vector(struct problem *p, HYPRE_IJVector *v)
{
  const struct grid *g = &p->grid;
  HYPRE_ParVector object;
  CHECK(HYPRE_IJVectorCreate(MPI_COMM_WORLD, g->first[g->rank], g->first[g->rank + 1] - 1, v));
  CHECK(HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR));
  CHECK(HYPRE_IJVectorInitialize(*v));
  fill_vector(p, *v, points_in(&g->boxes[g->rank]));
  CHECK(HYPRE_IJVectorGetObject(*v, (void **)&object));
  return object;
}

static KEPT void make_vectors(struct problem *p)
{
  const struct grid *g = &p->grid;
  int count = points_in(&g->boxes[g->rank]);
  p->rows = allocate(count, sizeof *p->rows);
  p->values = allocate(count, sizeof *p->values);
  for (int i = 0; i < count; i++)
    p->rows[i] = g->first[g->rank] + i;
  p->rhs = make_vector(p, &p->ij_rhs);
  p->state = make_vector(p, &p->ij_state);
  p->residual = make_vector(p, &p->ij_residual);
}

/* ---- the solver ---- */

static KEPT HYPRE_Int precondition(HYPRE_Solver s, HYPRE_Matrix a, HYPRE_Vector b, HYPRE_Vector x)
{
  struct problem *p = (struct problem *)s;
  p->cycles++;
  return HYPRE_BoomerAMGSolve(p->amg, (HYPRE_ParCSRMatrix)a, (HYPRE_ParVector)b, (HYPRE_ParVector)x);
}

static KEPT HYPRE_Int setup_preconditioner(HYPRE_Solver s, HYPRE_Matrix a, HYPRE_Vector b, HYPRE_Vector x)
{
  struct problem *p = (struct problem *)s;
  return HYPRE_BoomerAMGSetup(p->amg, (HYPRE_ParCSRMatrix)a, (HYPRE_ParVector)b, (HYPRE_ParVector)x);
}

static KEPT void make_preconditioner(struct problem *p)
{
  CHECK(HYPRE_BoomerAMGCreate(&p->amg));
  CHECK(HYPRE_BoomerAMGSetPrintLevel(p->amg, 0));
  CHECK(HYPRE_BoomerAMGSetCoarsenType(p->amg, 8)); /* PMIS */
  CHECK(HYPRE_BoomerAMGSetInterpType(p->amg, 6));
  CHECK(HYPRE_BoomerAMGSetRelaxType(p->amg, 6)); /* symmetric, as PCG needs it */
  CHECK(HYPRE_BoomerAMGSetTol(p->amg, 0));
  CHECK(HYPRE_BoomerAMGSetMaxIter(p->amg, 1));
}

static KEPT void make_solver(struct problem *p, double tolerance)
{
  make_preconditioner(p);
  CHECK(HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &p->pcg));
  CHECK(HYPRE_PCGSetTol(p->pcg, tolerance));
  CHECK(HYPRE_PCGSetMaxIter(p->pcg, 200));
  CHECK(HYPRE_PCGSetTwoNorm(p->pcg, 1));
  CHECK(HYPRE_PCGSetPrecond(p->pcg, precondition, setup_preconditioner, (HYPRE_Solver)p));
  CHECK(HYPRE_PCGSetup(p->pcg, (HYPRE_Matrix)p->matrix, (HYPRE_Vector)p->rhs, (HYPRE_Vector)p->state));
}

/* ---- time steps ---- */

/* source is a warm spot that goes round. */
static double source(const struct grid *g, const int x[3], double time)
{
  double u = (double)x[0] / g->n - 0.5 - 0.3 * cos(time), v = (double)x[1] / g->n - 0.5 - 0.3 * sin(time);
  double w = (double)x[2] / g->n - 0.5;
  return exp(-40 * (u * u + v * v + w * w));
}

static KEPT void make_rhs(struct problem *p, double time)
{
  const struct grid *g = &p->grid;
  int count = points_in(&g->boxes[g->rank]), x[3];
  CHECK(HYPRE_IJVectorGetValues(p->ij_state, count, p->rows, p->values));
  for (int i = 0; i < count; i++) {
    point(g, i, x);
    p->values[i] = p->weight * p->values[i] + source(g, x, time);
  }
  fill_vector(p, p->ij_rhs, count);
}

static KEPT double norm(HYPRE_ParVector v)
{
  double square;
  CHECK(HYPRE_ParVectorInnerProd(v, v, &square));
  return sqrt(square);
}

/* residual is that of the present state, relative, not by what the solver says. */
static KEPT double residual(struct problem *p)
{
  CHECK(HYPRE_ParVectorCopy(p->rhs, p->residual));
  CHECK(HYPRE_ParCSRMatrixMatvec(-1, p->matrix, p->state, 1, p->residual));
  return norm(p->residual) / norm(p->rhs);
}

static KEPT double hottest(struct problem *p)
{
  int count = points_in(&p->grid.boxes[p->grid.rank]);
  double most = 0, all;
  CHECK(HYPRE_IJVectorGetValues(p->ij_state, count, p->rows, p->values));
  for (int i = 0; i < count; i++)
    most = fmax(most, p->values[i]);
  MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* monitor prints a step and returns whether it is well. */
static KEPT int monitor(struct problem *p, int step, double tolerance)
{
  double said, own = residual(p), heat = hottest(p);
  HYPRE_Int iterations;
  CHECK(HYPRE_PCGGetNumIterations(p->pcg, &iterations));
  CHECK(HYPRE_PCGGetFinalRelativeResidualNorm(p->pcg, &said));
  if (p->grid.rank == 0) {
    printf("step %3d: %2d iterations, residual %.2e (own %.2e), hottest %.6f\n", step, (int)iterations, said, own, heat);
    fflush(stdout);
  }
  return own <= 10 * tolerance && isfinite(heat);
}

static KEPT int solve_step(struct problem *p, int step, double tolerance)
{
  make_rhs(p, 0.2 * step);
  CHECK(HYPRE_PCGSolve(p->pcg, (HYPRE_Matrix)p->matrix, (HYPRE_Vector)p->rhs, (HYPRE_Vector)p->state));
  return monitor(p, step, tolerance);
}

static KEPT int run_steps(struct problem *p, const struct options *o)
{
  int good = 1;
  for (int step = 1; step <= o->steps; step++)
    good &= solve_step(p, step, o->tolerance);
  return good;
}

static KEPT void free_problem(struct problem *p)
{
  CHECK(HYPRE_ParCSRPCGDestroy(p->pcg));
  CHECK(HYPRE_BoomerAMGDestroy(p->amg));
  CHECK(HYPRE_IJVectorDestroy(p->ij_rhs));
  CHECK(HYPRE_IJVectorDestroy(p->ij_state));
  CHECK(HYPRE_IJVectorDestroy(p->ij_residual));
  CHECK(HYPRE_IJMatrixDestroy(p->ij_matrix));
  free(p->rows);
  free(p->values);
  free_grid(&p->grid);
}

int main(int argc, char **argv)
{
  struct options o;
  struct problem p = {.weight = 0.01};
  MPI_Init(&argc, &argv);
  parse(argc, argv, &o);
  CHECK(HYPRE_Init());
  make_grid(&p.grid, o.n);
  assemble(&p);
  make_vectors(&p);
  make_solver(&p, o.tolerance);
  int good = run_steps(&p, &o);
  if (p.grid.rank == 0)
    printf("%s: %d steps, %d preconditioner cycles\n", good ? "passed" : "FAILED", o.steps, p.cycles);
  free_problem(&p);
  CHECK(HYPRE_Finalize());
  MPI_Finalize();
  return good ? 0 : 1;
}
