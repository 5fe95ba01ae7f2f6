// Receives that are pending when their buffers are gone: diedpending MODE [right]. With "right" the program is correct. Rank 2 is the
// one that dies.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <vector>

namespace {

constexpr int victim = 2, large = 1000000, small = 4000;
int rank_of_world;
bool right;

// Halo begins to receive what a neighbour sends.
class Halo {
public:
  explicit Halo(int n) : values(n) { MPI_Irecv(values.data(), n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &request); }
  MPI_Request request = MPI_REQUEST_NULL;

private:
  std::vector<double> values;
};

void send(int n)
{
  std::vector<double> values(n, 1.5);
  if (rank_of_world == 0)
    MPI_Send(values.data(), n, MPI_DOUBLE, victim, 4, MPI_COMM_WORLD);
}

// temporary lets the object go whose buffer is being received into.
void temporary()
{
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_ptr<Halo> kept;
  if (rank_of_world == victim) {
    kept = std::make_unique<Halo>(large);
    request = kept->request;
    if (!right)
      kept.reset();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  send(large);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) void begin(MPI_Request *request)
{
  double values[small];
  MPI_Irecv(values, small, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, request);
  if (right)
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

// local begins to receive into a local variable; then something else goes wrong.
void local()
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (right)
    send(small);
  if (rank_of_world == victim)
    begin(&request);
  if (rank_of_world == victim && !right)
    MPI_Send(nullptr, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

} // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_world);
  right = argc > 2 && std::strcmp(argv[2], "right") == 0;
  if (argc > 1 && std::strcmp(argv[1], "temporary") == 0)
    temporary();
  if (argc > 1 && std::strcmp(argv[1], "local") == 0)
    local();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
