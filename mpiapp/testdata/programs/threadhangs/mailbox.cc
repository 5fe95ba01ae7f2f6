// np: 3
// named: 1
// says: MPI_Recv
// A listener thread receives (LAGGARD: here) and signals main's condition variable. Rank 1 skips
// one message to rank 2, so main of rank 2 waits for the condition and the listener for rank 1, which is
// in MPI_Reduce with rank 0, and has left out the send.
#include <mpi.h>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace {

int rank, size;
bool hang;
constexpr int kLetters = 10;

class Mailbox {
 public:
  void put(int letter)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    letters_.push_back(letter);
    filled_.notify_one();
  }
  int take()
  {
    std::unique_lock<std::mutex> lock(mutex_);
    filled_.wait(lock, [this] { return !letters_.empty(); }); // LAGGARD: here
    int letter = letters_.front();
    letters_.pop_front();
    return letter;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> letters_;
};

void listen(Mailbox *box)
{
  for (int i = 0; i < kLetters; i++) {
    int letter;
    MPI_Recv(&letter, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // LAGGARD: here
    box->put(letter);
  }
}

int exchange(Mailbox &box, int round)
{
  int letter = rank * round;
  if (!(hang && rank == 1 && round == 6))
    MPI_Send(&letter, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
  return box.take();
}

} // namespace

int main(int argc, char **argv)
{
  int provided, total = 0, all = 0;
  hang = argc > 1 && std::strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Mailbox box;
  std::thread listener(listen, &box);
  for (int round = 0; round < kLetters; round++)
    total += exchange(box, round);
  listener.join();
  MPI_Allreduce(&total, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("letters sum %d\n", all);
  MPI_Finalize();
  return 0;
}
