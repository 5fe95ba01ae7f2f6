/* A heat equation on a strip, split over the ranks: each step exchanges the
 * borders with both neighbours, relaxes, and agrees on the residual. On rank 11
 * the local solver of step 40 has a cell that never settles, and its loop never
 * ends: an everyday hang. `halo ok` leaves the fault out. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define CELLS 64
#define STEPS 60

static double u[CELLS + 2], next[CELLS + 2];
static int rank, size, faulty;

static void exchange_borders(MPI_Comm line)
{
  int left, right;
  MPI_Request pending[4];
  MPI_Cart_shift(line, 0, 1, &left, &right);
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, line, &pending[0]);
  MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, right, 2, line, &pending[1]);
  MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, 1, line, &pending[2]);
  MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 2, line, &pending[3]);
  MPI_Waitall(4, pending, MPI_STATUSES_IGNORE);
}

static double settle(double cell, int step)
{
  double error = 1;
  while (error > 1e-9) {
    double better = 0.5 * (cell + cos(cell));
    error = fabs(better - cell);
    if (faulty && rank == 11 && step == 40)
      error = 1; /* the bug: the test never succeeds */
    cell = better;
  }
  return cell;
}

static double relax(int step)
{
  double residual = 0;
  for (int i = 1; i <= CELLS; i++) {
    next[i] = 0.5 * u[i] + 0.25 * (u[i - 1] + u[i + 1]);
    residual += fabs(next[i] - u[i]);
  }
  memcpy(u + 1, next + 1, sizeof(double) * CELLS);
  u[1] = settle(u[1], step);
  return residual;
}

int main(int argc, char **argv)
{
  MPI_Comm line;
  double residual = 0, sum = 0;
  int periodic = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  faulty = argc < 2 || strcmp(argv[1], "ok") != 0;
  u[CELLS / 2] = rank + 1;
  for (int step = 0; step < STEPS; step++) {
    exchange_borders(line);
    residual = relax(step);
    if (step % 10 == 9)
      MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, line);
  }
  if (rank == 0)
    printf("done: residual %.6f\n", sum);
  MPI_Finalize();
  return 0;
}
