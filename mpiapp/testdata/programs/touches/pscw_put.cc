/* ranks=3 about: ring of one-sided face updates with post/start/complete/wait, double-buffered staging areas */
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

template <class T>
class Window {
 public:
  Window(std::size_t n, MPI_Comm comm) : mem_(n) {
    MPI_Win_create(mem_.data(), MPI_Aint(n * sizeof(T)), sizeof(T), MPI_INFO_NULL, comm, &win_);
  }
  ~Window() { MPI_Win_free(&win_); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  MPI_Win handle() const { return win_; }
  T& operator[](std::size_t i) { return mem_[i]; }
  std::size_t size() const { return mem_.size(); }

 private:
  std::vector<T> mem_;
  MPI_Win win_;
};

struct Group {
  MPI_Group g = MPI_GROUP_NULL;
  Group(MPI_Comm comm, int rank) {
    MPI_Group all;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &rank, &g);
    MPI_Group_free(&all);
  }
  ~Group() { MPI_Group_free(&g); }
  Group(const Group&) = delete;
};

struct Face {
  std::vector<float> stage;
  explicit Face(std::size_t n) : stage(n, 0.f) {}
  void fill(int rank, int step) {
    for (std::size_t i = 0; i < stage.size(); ++i) stage[i] = float(rank * 100 + step) + float(i % 7);
  }
  void fill_too_early(int rank, int step) {
    for (std::size_t i = 0; i < stage.size(); ++i)
      stage[i] = float(rank * 100 + step) + float(i % 7);  // LAGGARD: race
  }
  double sum() const {
    double s = 0;
    for (float x : stage) s += x;
    return s;
  }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool faulty = argc > 1 && std::string(argv[1]) == "faulty";
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const std::size_t n = 30000;  // 120 kB of float
  double acc = 0, sent = 0;
  {
    Window<float> win(n + 8, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < win.size(); ++i) win[i] = 0.f;
    Group to(MPI_COMM_WORLD, right), from(MPI_COMM_WORLD, left);
    Face a(n), b(n);
    Face *cur = &a, *nxt = &b;
    cur->fill(rank, 0);
    for (int step = 0; step < 5; ++step) {
      int header[2] = {rank, step};
      static_assert(sizeof(int) == sizeof(float), "header layout");
      MPI_Win_post(from.g, 0, win.handle());
      MPI_Win_start(to.g, 0, win.handle());
      MPI_Put(cur->stage.data(), int(n), MPI_FLOAT, right, 8, int(n), MPI_FLOAT, win.handle());
      MPI_Put(header, 2, MPI_INT, right, 0, 2, MPI_INT, win.handle());
      // allowed: read the origin, write the other staging area
      sent += cur->sum();
      nxt->fill(rank, step + 1);
      if (faulty && step == 2) cur->fill_too_early(rank, step + 2);
      MPI_Win_complete(win.handle());
      // allowed: the origin is ours after complete, the window is not yet
      header[0] = header[1] = -1;
      cur->stage[0] = -1.f;
      MPI_Win_wait(win.handle());
      int got[2];
      std::memcpy(got, &win[0], sizeof got);
      if (got[0] != left || got[1] != step) std::fprintf(stderr, "rank %d: odd header\n", rank);
      for (std::size_t i = 8; i < win.size(); ++i) acc += win[i];
      win[3] = float(step);
      std::swap(cur, nxt);
    }
  }
  double in[2] = {acc, sent}, out[2];
  MPI_Reduce(in, out, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("received %.1f sent %.1f\n", out[0], out[1]);
  MPI_Finalize();
  return 0;
}
