// np: 4
// odd: 0
// kind: error_path
// call: MPI_Allgather 39
// branch: 72
// why: a filter throws on rank 0, main catches it, and the destructor of the environment calls MPI_Finalize (line 72)

// Filters in a pipeline over images, which all ranks normalise together.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

class Environment {
public:
  Environment(int &argc, char **&argv) { MPI_Init(&argc, &argv); }
  ~Environment() { MPI_Finalize(); }
};

class World {
public:
  World()
  {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }

  template <typename Pair> std::vector<Pair> all_gather(const Pair &mine) const
  {
    std::vector<Pair> all(size);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    return all;
  }

  int rank, size;
};

using Image = std::vector<double>;

struct Extremes {
  double least, most;
};

class Filter {
public:
  virtual ~Filter() = default;
  virtual void apply(Image &m, int frame) = 0;
};

class Smooth : public Filter {
public:
  void apply(Image &m, int) override
  {
    for (std::size_t i = 1; i + 1 < m.size(); i++)
      m[i] = (m[i - 1] + m[i] + m[i + 1]) / 3;
  }
};

class Logarithm : public Filter {
public:
  void apply(Image &m, int) override
  {
    for (double &x : m) {
      if (x <= 0)
        throw std::domain_error("logarithm of a pixel that is not positive");
      x = std::log(x);
    }
  }
};

class Normalise : public Filter {
public:
  explicit Normalise(const World &w) : world(w) {}
  void apply(Image &m, int) override
  {
    auto [low, high] = std::minmax_element(m.begin(), m.end());
    Extremes all{*low, *high};
    for (const Extremes &e : world.all_gather(all)) {
      all.least = std::min(all.least, e.least);
      all.most = std::max(all.most, e.most);
    }
    for (double &x : m)
      x = all.most > all.least ? (x - all.least) / (all.most - all.least) : 0;
  }

private:
  const World &world;
};

class Camera {
public:
  Camera(int r, bool worn) : rank(r), dark(worn && r == 0 ? 0.025 : 0.001) {}
  Image shoot(int frame) const
  {
    Image m(50);
    std::iota(m.begin(), m.end(), 1 + rank);
    for (double &x : m)
      x = x / 50 + 1 - dark * frame; // the dark current grows
    return m;
  }

private:
  int rank;
  double dark;
};

class Pipeline {
public:
  template <typename F, typename... Args> void add(Args &&...args)
  {
    filters.push_back(std::make_unique<F>(std::forward<Args>(args)...));
  }
  double run(Image m, int frame)
  {
    for (auto &f : filters)
      f->apply(m, frame);
    return std::accumulate(m.begin(), m.end(), 0.0);
  }

private:
  std::vector<std::unique_ptr<Filter>> filters;
};

} // namespace

int main(int argc, char **argv)
{
  try {
    Environment environment(argc, argv);
    World world;
    Camera camera(world.rank, argc > 1 && std::strcmp(argv[1], "hang") == 0);
    Pipeline pipeline;
    pipeline.add<Smooth>();
    pipeline.add<Logarithm>();
    pipeline.add<Normalise>(world);
    double light = 0;
    for (int frame = 0; frame < 100; frame++)
      light += pipeline.run(camera.shoot(frame), frame);
    if (world.rank == 0)
      std::printf("light %s\n", light > 0 ? "some" : "none");
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
