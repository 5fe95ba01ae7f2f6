/* The first rank reads parameters, broadcasts them, and sends each rank its share. As
 * "race" the last rank asks for its share before it takes part in the broadcast, which
 * works while the root of a broadcast does not wait; as "right" all broadcast first. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void distribute(int rank, int ranks, int early)
{
  double parameters[4] = {1, 2, 3, 4}, share = 0;
  if (rank == 0) {
    MPI_Bcast(parameters, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int to = 1; to < ranks; to++)
      MPI_Send(&parameters[to % 4], 1, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
    return;
  }
  if (early)
    MPI_Recv(&share, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(parameters, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (!early)
    MPI_Recv(&share, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int phase = 0; phase < 5; phase++)
    distribute(rank, ranks, strcmp(argv[1], "race") == 0 && rank == ranks - 1);
  MPI_Finalize();
  return 0;
}
