// np: 3
// ends: yes
// says: MPI reported an error in MPI_Recv from rank 1 with tag 5678
// says: Rank 0 was receiving message 1 from rank 1 with tag 5678 on MPI_COMM_WORLD: rank 1 sent it with MPI_Send in exchange
// Sizes are announced before data; whoever receives the sizes takes any tag, and gets data of a fast rank.
#include <mpi.h>
#include <cstring>
#include <vector>

namespace {
enum { tag_size = 1234, tag_data = 5678, tag_go = 1 };

struct Peer {
  int rank, bytes;
  std::vector<char> data;
};

void receive_sizes(std::vector<Peer> &peers, bool any)
{
  for (std::size_t k = 0; k < peers.size(); ++k) {
    MPI_Status status;
    MPI_Probe(any ? MPI_ANY_SOURCE : peers[k].rank, any ? MPI_ANY_TAG : tag_size, MPI_COMM_WORLD, &status);
    int bytes = 0;
    MPI_Recv(&bytes, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (Peer &p : peers)
      if (p.rank == status.MPI_SOURCE)
        p.data.resize(bytes);
  }
}

void exchange(int rank, bool any)
{
  std::vector<char> data(256);
  int bytes = 256, go = 0;
  if (rank == 0) {
    std::vector<Peer> peers{{1, 0, {}}, {2, 0, {}}};
    receive_sizes(peers, any);
    for (Peer &p : peers)
      MPI_Recv(p.data.data(), static_cast<int>(p.data.size()), MPI_CHAR, p.rank, tag_data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  if (rank == 2)
    MPI_Recv(&go, 1, MPI_INT, 1, tag_go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&bytes, 1, MPI_INT, 0, tag_size, MPI_COMM_WORLD);
  MPI_Send(data.data(), bytes, MPI_CHAR, 0, tag_data, MPI_COMM_WORLD); // LAGGARD: 1
  if (rank == 1)
    MPI_Send(&go, 1, MPI_INT, 2, tag_go, MPI_COMM_WORLD);
}
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exchange(rank, argc > 1 && std::strcmp(argv[1], "hang") == 0);
  MPI_Finalize();
  return 0;
}
