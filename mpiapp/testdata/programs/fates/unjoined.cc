// Rank 1 catches an exception as a matter of course, and later forgets to join a thread.
#include <mpi.h>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

static int parse(const char *text)
{
  try {
    return std::stoi(text);
  } catch (const std::invalid_argument &) {
    return 7;
  }
}

int main(int argc, char **argv)
{
  int rank, n = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1)
    n = parse("auto");
  MPI_Bcast(&n, 1, MPI_INT, 1, MPI_COMM_WORLD);
  if (rank == 1) {
    std::thread waits([] { usleep(1000); });
    if (std::strcmp(argv[1], "hang") != 0)
      waits.join();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
