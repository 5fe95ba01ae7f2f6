// np: 3
// named: 0
// most: 0.50
// taken: Mailbox::open
/* A mailbox that posts a receive for any tag of its peer. With "hang" it is opened before the
 * header is read, and takes the header. */
#include <mpi.h>
#include <cstring>
#include <memory>
#include <vector>

class Mailbox {
public:
  explicit Mailbox(int from) : from_(from), buffer_(16) {}
  void open()
  {
    MPI_Irecv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_INT, from_, MPI_ANY_TAG, MPI_COMM_WORLD, &request_);
  }
  void close() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

private:
  int from_;
  std::vector<int> buffer_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

static int header(int from)
{
  int n = 0;
  MPI_Recv(&n, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
  return n;
}

static void serve(bool wrong)
{
  auto box = std::make_unique<Mailbox>(1);
  if (wrong) {
    box->open();
    box->close();
    header(1);
  } else {
    header(1);
    box->open();
    box->close();
  }
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    serve(argc > 1 && std::strcmp(argv[1], "hang") == 0);
  } else if (rank == 1) {
    int n = 4, body[4] = {1, 2, 3, 4};
    MPI_Send(&n, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Send(body, 4, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* LAGGARD: here */
  MPI_Finalize();
  return 0;
}
