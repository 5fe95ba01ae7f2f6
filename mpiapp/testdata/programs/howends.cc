// A sum without end, in which a rank throws what nobody catches: howends RANK MILLISECONDS
#include <mpi.h>
#include <cstdlib>
#include <stdexcept>

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double x = 1, sum, begin = MPI_Wtime();
  for (;;) {
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == std::atoi(argv[1]) && MPI_Wtime() - begin > std::atof(argv[2]) / 1000)
      throw std::runtime_error("no convergence");
  }
}
