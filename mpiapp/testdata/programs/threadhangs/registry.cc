// np: 3
// named: 2
// says: mutex
// A thread of rank 2 returns early, at an empty table, without unlocking the registry's mutex, and ends. Main
// waits for the mutex (LAGGARD: here), whose holder is gone; the others wait in MPI_Allreduce.
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace {

int rank;
bool hang;

class Registry {
 public:
  bool load(int count)
  {
    mutex_.lock();
    if (count == 0 && hang)
      return false;
    for (int i = 0; i < count; i++)
      entries_["field" + std::to_string(i)] += i;
    mutex_.unlock();
    return count > 0;
  }
  long sum()
  {
    std::lock_guard<std::mutex> lock(mutex_); // LAGGARD: here
    long sum = 0;
    for (const auto &entry : entries_)
      sum += entry.second;
    return sum;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, long> entries_;
};

long step(Registry &registry, int number)
{
  int count = rank == 2 && number == 8 ? 0 : 5;
  std::thread loader([&] { registry.load(count); });
  loader.join();
  return registry.sum();
}

} // namespace

int main(int argc, char **argv)
{
  int provided;
  long all = 0;
  Registry registry;
  hang = argc > 1 && std::strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int number = 0; number < 15; number++) {
    long mine = step(registry, number);
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    std::printf("sum %ld\n", all);
  MPI_Finalize();
  return 0;
}
