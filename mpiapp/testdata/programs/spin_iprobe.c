/* Rank 1 polls with MPI_Iprobe for a message of rank 0 before everybody meets
 * in a barrier. With "hang" rank 0 never gets to send it: rank 1 is busy all
 * the time, and yet it is rank 0 that is behind. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int hang;

static int produce(int round)
{
  int x = round, target = hang && round == 4 ? -1 : 99;
  while (x != target)   /* LAGGARD: loop begin */
    x = (x + 1) % 1000; /* LAGGARD: loop end */
  return x;
}

static void poll_for(int *value)
{
  int flag = 0;
  while (!flag)
    MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, value = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 6; round++) {
    if (rank == 0) {
      value = produce(round);
      MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
      poll_for(&value);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1)
    printf("value %d\n", value);
  MPI_Finalize();
  return 0;
}
