/* Each rank relaxes its part of a rod until it no longer changes, and the
 * largest change is then agreed on. With "hang" the tolerance of rank 3 can
 * never be met, so that it never reaches the collective. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define CELLS 64
#define VICTIM 3

static double relax(double *u, double tolerance)
{
  double change;
  do { /* LAGGARD: loop begin */
    change = 0;
    for (int i = 1; i < CELLS - 1; i++) {
      double next = 0.5 * (u[i - 1] + u[i + 1]);
      change = fmax(change, fabs(next - u[i]));
      u[i] = next;
    }
  } while (change > tolerance); /* LAGGARD: loop end */
  return change;
}

int main(int argc, char **argv)
{
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 5; step++) {
    double u[CELLS] = {1 + step}, worst, change;
    change = relax(u, hang && rank == VICTIM && step == 3 ? -1 : 1e-3); /* LAGGARD: cause */
    MPI_Allreduce(&change, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
      printf("step %d: %.6f\n", step, worst);
  }
  MPI_Finalize();
  return 0;
}
