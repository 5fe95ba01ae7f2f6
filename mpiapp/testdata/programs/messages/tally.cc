// np: 4
// says: Rank 0 is least progressed, of 4 ranks (confidence 0.70
// says: because: rank 0 still holds a lock that
// says: taken by MPI_Win_lock (tally.cc:32)
// not: confidence 0.99
// A tally that all ranks add to, kept by the last one. Rank 0 finds its bin full and goes on without giving up the lock.
#include <mpi.h>
#include <cstring>
#include <unistd.h>
#include <stdexcept>

namespace {

constexpr int kBins = 4;

class Tally {
public:
  explicit Tally(MPI_Comm comm) : comm_(comm)
  {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    MPI_Win_allocate(rank_ == keeper() ? kBins * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, comm, &bins_, &win_);
    if (rank_ == keeper())
      std::memset(bins_, 0, kBins * sizeof(int));
    MPI_Barrier(comm_);
  }
  ~Tally() { MPI_Win_free(&win_); }

  bool add(int bin, bool full)
  {
    int one = 1, old = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, keeper(), 0, win_);
    MPI_Fetch_and_op(&one, &old, MPI_INT, keeper(), bin, MPI_SUM, win_);
    MPI_Win_flush(keeper(), win_);
    if (full)
      return false;
    MPI_Win_unlock(keeper(), win_);
    return true;
  }

  void settle() { MPI_Barrier(comm_); }
  int rank() const { return rank_; }

private:
  int keeper() const { return size_ - 1; }
  MPI_Comm comm_;
  int rank_ = 0, size_ = 0;
  int *bins_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

} // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  const bool hangs = !std::strcmp(argv[1], "hang");
  {
    Tally tally(MPI_COMM_WORLD);
    for (int step = 0; step < 20; ++step) {
      const bool full = hangs && step == 15 && tally.rank() == 0;
      if (hangs && step == 15 && tally.rank() != 0)
        sleep(1); // rank 0 has the lock first
      tally.add(step % kBins, full);
      tally.settle();
    }
  }
  MPI_Finalize();
}
