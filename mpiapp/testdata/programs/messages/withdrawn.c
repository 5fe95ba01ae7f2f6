// np: 2
// says: Ranks 0-1 are least progressed, of 2 ranks
// says: rank 1 is in MPI_Ssend to rank 0 with tag 7 on MPI_COMM_WORLD
// says: deadlock
// Rank 0 withdraws a receive for a message that says to stop, and frees its request, as MPI allows. Then rank 1 sends one part too many
// before the end mark that rank 0 waits for.
#include <mpi.h>
#include <string.h>

enum { PART = 7, END = 9 };

int main(int argc, char **argv)
{
  int rank, value = 1, stop;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  int parts = argc > 1 && strcmp(argv[1], "hang") == 0 ? 2 : 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Irecv(&stop, 1, MPI_INT, 1, PART, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 1, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 1, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < parts; i++)
      MPI_Ssend(&value, 1, MPI_INT, 0, PART, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 0, END, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
