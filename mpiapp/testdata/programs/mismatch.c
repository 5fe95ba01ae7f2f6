/* Two communicators over all ranks. With "hang" rank 0 is in a broadcast on the
 * first while all the others are in a barrier on the second: it waits for them
 * and they for it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void agree(MPI_Comm a, int *value)
{
  MPI_Bcast(value, 1, MPI_INT, 1, a); /* LAGGARD: here */
}

static void meet(MPI_Comm b)
{
  MPI_Barrier(b); /* LAGGARD: here others */
}

int main(int argc, char **argv)
{
  MPI_Comm a, b;
  int rank, value, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_dup(MPI_COMM_WORLD, &b);
  for (int step = 0; step < 4; step++) {
    value = rank + step;
    if (hang && step == 2 && rank != 0) {
      meet(b);
      agree(a, &value);
    } else {
      agree(a, &value);
      meet(b);
    }
  }
  if (rank == 0)
    printf("value %d\n", value);
  MPI_Comm_free(&a);
  MPI_Comm_free(&b);
  MPI_Finalize();
  return 0;
}
