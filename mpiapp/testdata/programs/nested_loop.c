/* Time steps with a number of sweeps each: neighbours swap their edges in every
 * sweep, and all ranks agree at the end of a step. With "hang" the limiter of
 * rank 2 does not end in a late sweep of a late step. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define STEPS 20
#define SWEEPS 6
#define VICTIM 2

static int hang, rank, size;

static double limit(double x, int step, int sweep)
{
  double bound = hang && rank == VICTIM && step == 17 && sweep == 4 ? -1 : 0.5; /* LAGGARD: cause */
  double sign = x < 0 ? -1 : 1;
  while (x * sign > bound) { /* LAGGARD: loop begin */
    x = 0.5 * x;
    if (x * sign < 1e-9)
      x = sign;
  } /* LAGGARD: loop end */
  return x;
}

static double sweep(double mine, int step, int k)
{
  double left;
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Sendrecv(&mine, 1, MPI_DOUBLE, to, 5, &left, 1, MPI_DOUBLE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return limit(0.5 * (mine + left), step, k);
}

int main(int argc, char **argv)
{
  double x, total = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < STEPS; step++) {
    x = rank + step;
    for (int k = 0; k < SWEEPS; k++)
      x = sweep(x, step, k);
    MPI_Allreduce(&x, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("total %.6f\n", total);
  MPI_Finalize();
  return 0;
}
