// np: 4
// odd: 3
// kind: order
// call: MPI_File_close 47
// branch: -
// why: files are closed the least written first by what the rank itself has written, and that is another one on rank 3 (line 74)

// Output streams on MPI files that a pool owns and closes when it goes.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

std::string scratch(MPI_Comm comm, const std::string &name)
{
  char path[300] = "";
  int rank;
  MPI_Comm_rank(comm, &rank);
  const char *dir = std::getenv("TMPDIR");
  if (rank == 0)
    std::snprintf(path, sizeof path, "%s/%s.%d", dir ? dir : "/tmp", name.c_str(), static_cast<int>(getpid()));
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, comm);
  return path;
}

class Stream {
public:
  Stream(MPI_Comm comm, const std::string &n) : name(n)
  {
    MPI_Comm_rank(comm, &rank);
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE;
    if (MPI_File_open(comm, scratch(comm, n).c_str(), mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
      throw std::runtime_error("cannot open " + n);
  }
  ~Stream()
  {
    MPI_File_close(&file);
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  template <typename T> void put(const std::vector<T> &items, std::size_t most)
  {
    int bytes = static_cast<int>(items.size() * sizeof(T));
    MPI_Offset at = round++ * static_cast<MPI_Offset>(4 * most * sizeof(T)) + rank * static_cast<MPI_Offset>(most);
    MPI_File_write_at_all(file, at, items.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    written += bytes;
  }

  long load() const { return written; }

private:
  MPI_File file;
  std::string name;
  int rank = 0;
  long round = 0, written = 0;
};

class Pool {
public:
  ~Pool()
  {
    std::sort(streams.begin(), streams.end(), [](const auto &a, const auto &b) {
      return a->load() > b->load();
    });
    while (!streams.empty())
      streams.pop_back();
  }

  Stream &open(MPI_Comm comm, const std::string &name)
  {
    streams.push_back(std::make_unique<Stream>(comm, name));
    return *streams.back();
  }

private:
  std::vector<std::unique_ptr<Stream>> streams;
};

struct Detector {
  int rank;
  bool noisy;
  std::vector<int> hits(int shot) const { return std::vector<int>(noisy && rank == 3 ? 24 : 4 + shot % 3, shot); }
  std::vector<double> frame(int shot) const { return std::vector<double>(8, 0.5 * shot); }
};

long record(const Detector &d, MPI_Comm comm, int shots)
{
  long mine = 0, all = 0;
  Pool pool;
  Stream &hits = pool.open(comm, "hits");
  Stream &frames = pool.open(comm, "frames");
  for (int s = 0; s < shots; s++) {
    hits.put(d.hits(s), 64);
    frames.put(d.frame(s), 64);
    mine = hits.load() + frames.load();
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, comm);
  }
  return all;
}

} // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  Detector d{0, argc > 1 && std::strcmp(argv[1], "hang") == 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
  try {
    long bytes = record(d, MPI_COMM_WORLD, 15);
    if (d.rank == 0)
      std::printf("%ld bytes\n", bytes);
  } catch (const std::runtime_error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
