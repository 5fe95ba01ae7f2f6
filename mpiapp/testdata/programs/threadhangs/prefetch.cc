// np: 3
// named: 0,1
// says: MPI_Recv
// Rank 1 reads the next block ahead in a task (std::async, LAGGARD: here) and asks for it with get.
// Rank 0 sends the block after a barrier, which main of rank 1 enters after get: rank 0 waits for
// rank 1, main of rank 1 for its task, and the task for rank 0.
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <future>
#include <numeric>
#include <vector>

namespace {

int rank, size;
bool hang;
constexpr int kBlocks = 6, kLength = 1000;
using Block = std::vector<double>;

Block fetch(int number)
{
  Block block(kLength);
  MPI_Recv(block.data(), kLength, MPI_DOUBLE, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // LAGGARD: here
  return block;
}

void distribute(int number)
{
  Block block(kLength, number);
  for (int to = 1; to < size; to++)
    MPI_Send(block.data(), kLength, MPI_DOUBLE, to, number, MPI_COMM_WORLD);
}

double use(std::future<Block> &next)
{
  Block block = next.get(); // LAGGARD: here
  return std::accumulate(block.begin(), block.end(), 0.0);
}

double work_on(int number)
{
  double sum = 0;
  bool late = hang && number == 4;
  std::future<Block> next;
  if (rank == 0 && !late)
    distribute(number);
  if (rank != 0)
    next = std::async(std::launch::async, fetch, number);
  if (rank == 1 && late)
    sum = use(next);
  MPI_Barrier(MPI_COMM_WORLD); // LAGGARD: here
  if (rank == 0 && late)
    distribute(number);
  if (rank != 0 && next.valid())
    sum = use(next);
  return sum;
}

} // namespace

int main(int argc, char **argv)
{
  int provided;
  double sum = 0;
  hang = argc > 1 && std::strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int number = 0; number < kBlocks; number++)
    sum += work_on(number);
  if (rank == 1)
    std::printf("sum %g\n", sum);
  MPI_Finalize();
  return 0;
}
