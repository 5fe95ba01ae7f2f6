/* A torus made with MPI_Cart_create, values shifted in both dimensions. With
 * "hang" rank 5 is lost in its own cell before a shift. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 5

static int hang, rank;

static double cell(double x, int step)
{
  int left = hang && rank == VICTIM && step == 5 ? -1 : 20; /* LAGGARD: cause */
  while (left != 0) { /* LAGGARD: loop begin */
    x = 0.9 * x + 0.1;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static double shift(MPI_Comm torus, int dimension, double x)
{
  int from, to;
  MPI_Cart_shift(torus, dimension, 1, &from, &to);
  MPI_Sendrecv_replace(&x, 1, MPI_DOUBLE, to, dimension, from, dimension, torus, MPI_STATUS_IGNORE);
  return x;
}

int main(int argc, char **argv)
{
  int size, dims[2] = {0, 0}, periods[2] = {1, 1};
  MPI_Comm torus;
  double x, sum;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus);
  x = rank;
  for (int step = 0; step < 8; step++) {
    x = cell(x, step);
    x = shift(torus, step % 2, x);
  }
  MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, torus);
  if (rank == 0)
    printf("sum %.9f\n", sum);
  MPI_Comm_free(&torus);
  MPI_Finalize();
  return 0;
}
