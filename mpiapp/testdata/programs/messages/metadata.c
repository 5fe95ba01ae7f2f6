// np: 4
// says: Rank 0 is least progressed, of 4 ranks (confidence 0.70
// says: ranks 1-3 sent messages to rank 0 (metadata.c:@1), which has received none of them
// says: but messages with other tags (1, 5), which are unreceived
// says: waits for rank 1 (p2p)
// The root gathers names and values from all others, with a tag for each of both; it makes that of its own rank, in place of the sender's.
#include <mpi.h>
#include <string.h>

enum { ITEMS = 4 };

static void gather_sizes(int rank, int size)
{
  int cells = 40 + rank;
  for (int from = 1; from < size && rank == 0; from++)
    MPI_Recv(&cells, 1, MPI_INT, from, 1000 + from, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > 0)
    MPI_Send(&cells, 1, MPI_INT, 0, 1000 + rank, MPI_COMM_WORLD);
}

static void gather_items(int rank, int size, int own_tag)
{
  for (int item = 0; item < ITEMS; item++) {
    double value = item + rank;
    for (int from = 1; from < size && rank == 0; from++)
      MPI_Recv(&value, 1, MPI_DOUBLE, from, item * size + (own_tag ? rank : from), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
      MPI_Send(&value, 1, MPI_DOUBLE, 0, item * size + rank, MPI_COMM_WORLD); // LAGGARD: 1
  }
}

int main(int argc, char **argv)
{
  int rank, size, cells = 0, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  gather_sizes(rank, size);
  gather_items(rank, size, hang);
  MPI_Bcast(&cells, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
