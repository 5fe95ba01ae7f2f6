// A static object finalizes MPI when main has returned, while rank 1 computes for ever.
#include <mpi.h>
#include <cstring>

struct Environment {
  ~Environment()
  {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
} environment;

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && std::strcmp(argv[1], "hang") == 0)
    for (volatile long i = 0;; i = i + 1) // LAGGARD: here
      ;
  return 0;
}
