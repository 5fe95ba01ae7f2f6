// np: 4
// says: Ranks 0-1 are least progressed, of 4 ranks
// says: rank 1 has not sent rank 0 the message 1 with tag 7, and never made the call by which others send such
// says: decided at gather_in_order (phases.c
// not: in collect (phases.c
// not: may have been meant
// not: (message 4)
// Each phase has a communicator of its own. In three of them the root takes contributions as they come. In the last one it takes them
// in order, and rank 1 sends none.
#include <mpi.h>
#include <string.h>

static int rank, size, value = 1;

static void collect(MPI_Comm comm)
{
  if (rank == 0)
    for (int i = 1; i < size; i++)
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE);
  else
    MPI_Send(&value, 1, MPI_INT, 0, 7, comm);
}

static void gather_in_order(MPI_Comm comm, int silent)
{
  if (rank == 0)
    for (int i = 1; i < size; i++)
      MPI_Recv(&value, 1, MPI_INT, i, 7, comm, MPI_STATUS_IGNORE);
  else if (rank != silent)
    MPI_Send(&value, 1, MPI_INT, 0, 7, comm);
  MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int phase = 0; phase < 4; phase++) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    if (phase < 3)
      collect(comm);
    else
      gather_in_order(comm, hang ? 1 : -1);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
