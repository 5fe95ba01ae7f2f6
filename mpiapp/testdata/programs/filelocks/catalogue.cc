// Blocks are moved between ranks, and noted in a catalogue under its lock. The receiver notes a block before it has come, so that it
// waits for the block with the lock that the sender wants first.
#include <fcntl.h>
#include <mpi.h>
#include <sys/file.h>
#include <unistd.h>
#include <cstring>
#include <string>
#include <vector>

class Catalogue {
public:
  explicit Catalogue(const std::string &folder) : file(open((folder + "/catalogue").c_str(), O_RDWR | O_APPEND | O_CREAT, 0600)) {}
  ~Catalogue() { close(file); }

  class Lock {
  public:
    explicit Lock(const Catalogue &c) : file(c.file) { flock(file, LOCK_EX); }
    ~Lock() { flock(file, LOCK_UN); }

  private:
    int file;
  };

  void note(const std::string &line) const
  {
    if (write(file, line.data(), line.size()) < 0)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }

private:
  int file;
};

static void send_block(const Catalogue &catalogue, const std::vector<double> &block, int to)
{
  MPI_Barrier(MPI_COMM_WORLD);
  {
    Catalogue::Lock lock(catalogue);
    catalogue.note("sent\n");
  }
  MPI_Send(block.data(), static_cast<int>(block.size()), MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
}

static void receive_block(const Catalogue &catalogue, std::vector<double> &block, int from, bool early)
{
  if (early) {
    Catalogue::Lock lock(catalogue);
    MPI_Barrier(MPI_COMM_WORLD);
    catalogue.note("received\n");
    MPI_Recv(block.data(), static_cast<int>(block.size()), MPI_DOUBLE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(block.data(), static_cast<int>(block.size()), MPI_DOUBLE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Catalogue::Lock lock(catalogue);
  catalogue.note("received\n");
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Catalogue catalogue(argv[2]);
    std::vector<double> block(1000, rank);
    for (int step = 0; step < 5; step++) {
      if (rank == 1)
        send_block(catalogue, block, 2);
      else if (rank == 2)
        receive_block(catalogue, block, 1, step == 3 && std::strcmp(argv[1], "hang") == 0);
      else
        MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
}
