/* The even ranks make a communicator of their own, over and over, which the odd
 * ranks have no part in. With "hang" rank 4 is lost before the third one. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int hang, rank;

static double weigh(double x, int step)
{
  int left = hang && rank == 4 && step == 2 ? -1 : 20;
  while (left != 0) { /* LAGGARD: loop begin */
    x = 0.9 * x + 0.1;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static double among_even(MPI_Group even, double x)
{
  double sum = 0;
  MPI_Comm club;
  MPI_Comm_create_group(MPI_COMM_WORLD, even, 7, &club);
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, club);
  MPI_Comm_free(&club);
  return sum;
}

int main(int argc, char **argv)
{
  int size, n = 0, members[64];
  MPI_Group world, even;
  double x = 1;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; i += 2)
    members[n++] = i;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, members, &even);
  for (int step = 0; step < 4; step++) {
    x = weigh(x, step);
    if (rank % 2 == 0)
      x = among_even(even, x);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %.9f\n", x);
  MPI_Group_free(&world);
  MPI_Group_free(&even);
  MPI_Finalize();
  return 0;
}
