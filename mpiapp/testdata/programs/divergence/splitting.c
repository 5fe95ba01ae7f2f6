// np: 4
// odd: 0,3|1-2
// kind: order
// call: MPI_Allreduce 83
// branch: 91
// why: each rank sweeps first along its own steeper gradient, so two sum over columns first and two over rows first

// Operator splitting on a grid of 2 by 2 ranks with a communicator per row and column.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 8
#define STEPS 80

typedef struct {
  MPI_Comm cart, row, column;
  int rank, at[2];
} grid_t;

typedef struct {
  double cells[N][N];
  double along[2]; /* mean of the row and of the column of ranks */
} field_t;

static void grid_make(grid_t *g, MPI_Comm comm)
{
  int dims[2] = {0, 0}, periods[2] = {0, 0}, keep[2], size;
  MPI_Comm_size(comm, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(comm, 2, dims, periods, 0, &g->cart);
  MPI_Comm_rank(g->cart, &g->rank);
  MPI_Cart_coords(g->cart, g->rank, 2, g->at);
  keep[0] = 0;
  keep[1] = 1;
  MPI_Cart_sub(g->cart, keep, &g->row);
  keep[0] = 1;
  keep[1] = 0;
  MPI_Cart_sub(g->cart, keep, &g->column);
}

static void grid_free(grid_t *g)
{
  MPI_Comm_free(&g->row);
  MPI_Comm_free(&g->column);
  MPI_Comm_free(&g->cart);
}

static double mean(const field_t *f)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += f->cells[i][j];
  return sum / (N * N);
}

static double gradient(const field_t *f, int direction)
{
  double most = 0;
  for (int i = 0; i + 1 < N; i++)
    for (int j = 0; j + 1 < N; j++) {
      double d = direction ? f->cells[i + 1][j] - f->cells[i][j] : f->cells[i][j + 1] - f->cells[i][j];
      most = fmax(most, fabs(d));
    }
  return most;
}

static void sweep_rows(const grid_t *g, field_t *f)
{
  double mine = mean(f);
  MPI_Allreduce(&mine, &f->along[0], 1, MPI_DOUBLE, MPI_SUM, g->row);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      f->cells[i][j] += 1e-3 * (0.5 * f->along[0] - mine);
}

static void sweep_columns(const grid_t *g, field_t *f)
{
  double mine = mean(f);
  MPI_Allreduce(&mine, &f->along[1], 1, MPI_DOUBLE, MPI_SUM, g->column);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      f->cells[i][j] += 1e-3 * (0.5 * f->along[1] - mine);
}

static void half_steps(const grid_t *g, field_t *f)
{
  if (gradient(f, 1) > gradient(f, 0)) {
    sweep_columns(g, f);
    sweep_rows(g, f);
  } else {
    sweep_rows(g, f);
    sweep_columns(g, f);
  }
}

/* A shear layer grows on one diagonal of the ranks. */
static void shear(const grid_t *g, field_t *f, double rate)
{
  if (g->at[0] != g->at[1])
    return;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      f->cells[i][j] += rate * i;
}

int main(int argc, char **argv)
{
  grid_t g;
  field_t f;
  double mine, all;
  MPI_Init(&argc, &argv);
  double rate = argc > 1 && strcmp(argv[1], "hang") == 0 ? 0.025 : 0.005;
  grid_make(&g, MPI_COMM_WORLD);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      f.cells[i][j] = j;
  for (int step = 0; step < STEPS; step++) {
    shear(&g, &f, rate);
    half_steps(&g, &f);
  }
  mine = mean(&f);
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, g.cart);
  if (g.rank == 0)
    printf("mean %g\n", all / 4);
  grid_free(&g);
  MPI_Finalize();
  return 0;
}
