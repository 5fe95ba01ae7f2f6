// Each rank hands its fields to a writer thread through a socket, which the thread reads until the end of a step. With
// "hang" rank 1 does not hand over the last field of a step if it is empty, so its writer goes on reading while the rank
// waits for it.
#include <mpi.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr int kFields = 4;
constexpr int kSteps = 6;

struct Header {
  int field;
  int cells;
};

bool receive(int from, void *to, size_t bytes)
{
  char *at = static_cast<char *>(to);
  while (bytes > 0) {
    ssize_t n = recv(from, at, bytes, 0);
    if (n <= 0)
      return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

double drain(int from)
{
  double total = 0;
  for (int seen = 0; seen < kFields; seen++) {
    Header h;
    if (!receive(from, &h, sizeof h))
      break;
    std::vector<double> cells(static_cast<size_t>(h.cells));
    if (!receive(from, cells.data(), cells.size() * sizeof(double)))
      break;
    total += std::accumulate(cells.begin(), cells.end(), 0.0);
  }
  return total;
}

class Stage {
public:
  explicit Stage(bool skips_empty) : skips_empty_(skips_empty)
  {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends_);
    writer_ = std::thread([this] { total_ = drain(ends_[1]); });
  }

  void put(int field, const std::vector<double> &cells)
  {
    if (cells.empty() && skips_empty_)
      return;
    Header h{field, static_cast<int>(cells.size())};
    send(ends_[0], &h, sizeof h, 0);
    send(ends_[0], cells.data(), cells.size() * sizeof(double), 0);
  }

  double finish()
  {
    writer_.join();
    close(ends_[0]);
    close(ends_[1]);
    return total_;
  }

private:
  int ends_[2];
  bool skips_empty_;
  double total_ = 0;
  std::thread writer_;
};

} // namespace

int main(int argc, char **argv)
{
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool faulty = argc > 1 && strcmp(argv[1], "hang") == 0;
  for (int step = 0; step < kSteps; step++) {
    Stage stage(faulty);
    for (int field = 0; field < kFields; field++) {
      bool empty = rank == 1 && step == 3 && field == 2;
      stage.put(field, std::vector<double>(empty ? 0 : 64, rank + field));
    }
    double mine = stage.finish(), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
