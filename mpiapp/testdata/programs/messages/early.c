// np: 4
// says: Rank 3 is least progressed, of 4 ranks
// says: ultimately awaited by ranks 0-2
// not: called MPI_Barrier
// All ranks begin to make two communicators in one order, and rank 0 completes them in the other one. Then rank 3 computes for ever, and
// the others wait for it in a barrier on the first.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
  int rank;
  MPI_Comm made[2];
  MPI_Request request[2];
  MPI_Init(&argc, &argv);
  volatile int stays = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; i++)
    MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &request[i]);
  for (int i = 0; i < 2; i++)
    MPI_Wait(&request[rank == 0 ? 1 - i : i], MPI_STATUS_IGNORE);
  while (rank == 3 && stays)
    ;
  for (int i = 0; i < 2; i++)
    MPI_Barrier(made[i]);
  for (int i = 0; i < 2; i++)
    MPI_Comm_free(&made[i]);
  MPI_Finalize();
  return 0;
}
