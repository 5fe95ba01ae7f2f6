/* Rank 1 crashes when it has left MPI_Finalize. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int rank;
  volatile int *volatile nothing = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 1 && strcmp(argv[1], "hang") == 0) {
    usleep(300000);
    *nothing = 1;
  }
  return 0;
}
