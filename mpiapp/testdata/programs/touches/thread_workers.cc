/* ranks=2 about: main thread does all MPI (FUNNELED), std::thread workers reduce the received blocks */
#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kBlock = 20000;  // doubles, 160 kB
constexpr int kBlocks = 4;
constexpr int kWorkers = 3;

struct Block {
  std::vector<double> data = std::vector<double>(kBlock, 0.0);
  MPI_Request req = MPI_REQUEST_NULL;
  double result = 0.0;
};

class WorkerTeam {
 public:
  // runs fn(worker, begin, end) on kWorkers threads and joins them
  void run(std::size_t n, const std::function<void(int, std::size_t, std::size_t)>& fn) {
    std::vector<std::thread> team;
    const std::size_t chunk = (n + kWorkers - 1) / kWorkers;
    for (int w = 0; w < kWorkers; ++w) {
      const std::size_t b = w * chunk, e = std::min(n, b + chunk);
      team.emplace_back(fn, w, b, e);
    }
    for (auto& t : team) t.join();
  }
};

double compute(Block& blk, WorkerTeam& team) {
  std::vector<double> partial(kWorkers, 0.0);
  team.run(blk.data.size(), [&](int w, std::size_t b, std::size_t e) {
    double s = 0.0;
    for (std::size_t i = b; i < e; ++i) {
      blk.data[i] = std::sqrt(std::fabs(blk.data[i]));
      s += blk.data[i];
    }
    partial[w] = s;
  });
  double s = 0.0;
  for (double p : partial) s += p;
  return s;
}

double peek(const Block& blk) {
  double s = 0.0;
  for (std::size_t i = 0; i < blk.data.size(); i += 1000)
    s += blk.data[i];  // LAGGARD: race
  return s;
}

void producer(MPI_Comm comm) {
  std::vector<std::vector<double>> out(kBlocks);
  std::vector<MPI_Request> req(kBlocks);
  WorkerTeam team;
  for (int k = 0; k < kBlocks; ++k) {
    out[k].resize(kBlock);
    auto& o = out[k];
    team.run(o.size(), [&o, k](int, std::size_t b, std::size_t e) {
      for (std::size_t i = b; i < e; ++i) o[i] = k + 0.5 * double(i);
    });
    MPI_Isend(o.data(), kBlock, MPI_DOUBLE, 1, k, comm, &req[k]);
  }
  // workers may read what is being sent
  std::vector<double> sums(kWorkers, 0.0);
  team.run(out[0].size(), [&](int w, std::size_t b, std::size_t e) {
    for (std::size_t i = b; i < e; ++i) sums[w] += out[0][i];
  });
  MPI_Waitall(kBlocks, req.data(), MPI_STATUSES_IGNORE);
  double back = 0.0;
  MPI_Recv(&back, 1, MPI_DOUBLE, 1, 99, comm, MPI_STATUS_IGNORE);
  std::printf("result %.4f own %.1f\n", back, sums[0] + sums[1] + sums[2]);
}

void consumer(MPI_Comm comm, bool faulty) {
  std::vector<Block> blocks(kBlocks);
  WorkerTeam team;
  double total = 0.0, hint = 0.0;
  for (int k = 0; k < kBlocks; ++k)
    MPI_Irecv(blocks[k].data.data(), kBlock, MPI_DOUBLE, 0, k, comm, &blocks[k].req);

  if (faulty) hint += peek(blocks[2]);

  for (int k = 0; k < kBlocks; ++k) {
    MPI_Wait(&blocks[k].req, MPI_STATUS_IGNORE);
    // block k is complete, the later ones are still pending meanwhile
    blocks[k].result = compute(blocks[k], team);
    total += blocks[k].result;
  }
  if (hint < -1e300) std::printf("hint %g\n", hint);
  MPI_Send(&total, 1, MPI_DOUBLE, 0, 99, comm);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fprintf(stderr, "needs MPI_THREAD_FUNNELED\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool faulty = argc > 1 && std::string(argv[1]) == "faulty";
  if (rank == 0)
    producer(MPI_COMM_WORLD);
  else if (rank == 1)
    consumer(MPI_COMM_WORLD, faulty);
  MPI_Finalize();
  return 0;
}
