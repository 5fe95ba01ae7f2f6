/* A test of 0.2 s, to be run with and without `laggard test` (docs/results/benchmarks.md); -DSECONDS=0: nothing but start and end. */
#include <mpi.h>

#ifndef SECONDS
#define SECONDS 0.2
#endif

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  double begin = MPI_Wtime(), x = 1, sum;
  while (MPI_Wtime() - begin < SECONDS)
    for (int i = 0; i < 1000; i++)
      x = x * 1.0000001 + 1e-9;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum < 0;
}
