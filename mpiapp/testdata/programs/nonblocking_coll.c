/* Iallreduce and Ibarrier, overlapped with work and then waited for. With
 * "hang" rank 2 does not come to its MPI_Ibarrier in step 5. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 2

static double root_of(double a, double tolerance)
{
  double x = a, error;
  do { /* LAGGARD: loop begin */
    x = 0.5 * (x + a / x);
    error = fabs(x * x - a);
  } while (!(error < tolerance)); /* LAGGARD: loop end */
  return x;
}

int main(int argc, char **argv)
{
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  double sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 1; step < 9; step++) {
    MPI_Request reduction, barrier;
    double x = rank + step, all;
    MPI_Iallreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &reduction);
    double root = root_of(x, hang && rank == VICTIM && step == 5 ? 0 : 1e-6);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    sum += all + root;
  }
  if (rank == 0)
    printf("sum %.6f\n", sum);
  MPI_Finalize();
  return 0;
}
