// np: 3
// named: 1
// ends: yes
// says: checkpoint.cc
// says: runtime_error
// The thread that writes checkpoints at rank 1 throws an exception that nobody catches: the process
// aborts in the thread (LAGGARD: here), while its main thread and the others are in MPI_Allreduce.
#include <mpi.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

int rank;
bool hang;

std::string name_of(int number)
{
  return "checkpoint-" + std::to_string(rank) + "-" + std::to_string(number);
}

void write_checkpoint(int number)
{
  if (hang && rank == 1 && number == 3)
    throw std::runtime_error("no space for " + name_of(number)); // LAGGARD: here
}

void write_all(std::atomic<int> *reached)
{
  for (int number = 0; number < 5; number++) {
    while (reached->load() < number * 100)
      std::this_thread::yield();
    write_checkpoint(number);
  }
}

} // namespace

int main(int argc, char **argv)
{
  int provided, one = 1, sum = 0;
  std::atomic<int> reached{0};
  hang = argc > 1 && std::strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::thread writer(write_all, &reached);
  for (int step = 0; step < 500; step++) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    reached++;
  }
  writer.join();
  if (rank == 0)
    std::printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
