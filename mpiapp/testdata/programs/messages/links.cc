// np: 3
// says: rank 1 created the send to rank 2 (links.cc:@1) and never started it
// Objects own the links of a pipeline. A link is started once it is armed; rank 1 arms its link to rank 2 only where it has had data from
// rank 0, and looks before these have come.
#include <mpi.h>
#include <cstring>
#include <vector>

namespace {

class Link {
 public:
  void send_to(int peer) { MPI_Send_init(data_.data(), size, MPI_INT, peer, 4, MPI_COMM_WORLD, &request_); } // LAGGARD: 1
  void receive_from(int peer) { MPI_Recv_init(data_.data(), size, MPI_INT, peer, 4, MPI_COMM_WORLD, &request_); }
  void arm(bool yes) { armed_ = yes; }
  bool has_data() const { return data_[0] != 0; }
  int *data() { return data_.data(); }
  void start()
  {
    if (armed_)
      MPI_Start(&request_);
  }
  void finish() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  ~Link()
  {
    if (request_ != MPI_REQUEST_NULL)
      MPI_Request_free(&request_);
  }

 private:
  static const int size = 8;
  std::vector<int> data_ = std::vector<int>(size);
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool armed_ = true;
};

void run(int rank, int ranks, bool hang)
{
  Link in, out;
  if (rank > 0)
    in.receive_from(rank - 1);
  if (rank < ranks - 1)
    out.send_to(rank + 1);
  for (int step = 1; step <= 5; step++) {
    if (rank == 1 && hang)
      out.arm(in.has_data());
    if (rank > 0) {
      in.start();
      in.finish();
      out.data()[0] = in.data()[0];
      in.data()[0] = 0;
    } else {
      out.data()[0] = step;
    }
    if (rank < ranks - 1) {
      out.start();
      out.finish();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

} // namespace

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run(rank, ranks, argc > 1 && std::strcmp(argv[1], "hang") == 0);
  MPI_Finalize();
  return 0;
}
