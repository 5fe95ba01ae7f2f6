// np: 4
// named: 3
// least: 0.90
// parts: skipped
// says: MPI_Allreduce
// Molecular dynamics on slabs: each step a thermostat sums up the energy of a group, then particles that have moved go to the neighbours.
// With hang, a rank whose slab has no particle of the group left returns before the sum.
#include <mpi.h>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

struct Particles {
  std::vector<double> x, v;
};

class Exchange {
public:
  explicit Exchange(MPI_Comm c) : comm(c)
  {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }

  void migrate(Particles &p)
  {
    const int above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    send(p, below, above);
    send(p, above, below);
  }

private:
  void send(Particles &p, int to, int from)
  {
    double leaves[2] = {0, 0}, comes[2] = {0, 0};
    if (!p.x.empty() && to != MPI_PROC_NULL && to < rank) {
      leaves[0] = 1;
      leaves[1] = p.v.back();
      p.x.pop_back();
      p.v.pop_back();
    }
    MPI_Sendrecv(leaves, 2, MPI_DOUBLE, to, 42, comes, 2, MPI_DOUBLE, from, 42, comm, MPI_STATUS_IGNORE); // LAGGARD: here
    if (comes[0] > 0) {
      p.x.push_back(rank);
      p.v.push_back(comes[1]);
    }
  }

  MPI_Comm comm;
  int rank, size;
};

class Thermostat {
public:
  Thermostat(MPI_Comm c, bool all) : comm(c), evenWithout(all) {}

  void step(Particles &p)
  {
    if (p.x.empty() && !evenWithout)
      return;
    double mine[2] = {0, double(p.v.size())}, sum[2];
    for (double v : p.v)
      mine[0] += v * v;
    MPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, comm);
    for (double &v : p.v)
      v *= 1 + 0.01 * (1 - sum[0] / std::fmax(sum[1], 1));
  }

private:
  MPI_Comm comm;
  bool evenWithout;
};

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Particles p{std::vector<double>(40, rank), std::vector<double>(40, 1.0 + 0.1 * rank)};
  Exchange exchange(MPI_COMM_WORLD);
  Thermostat thermostat(MPI_COMM_WORLD, argc < 2 || std::strcmp(argv[1], "hang") != 0);
  for (int n = 0; n < 60; n++) {
    thermostat.step(p);
    exchange.migrate(p);
  }
  MPI_Finalize();
}
