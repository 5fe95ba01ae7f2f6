// np: 3
// named: 1
// says: what was thrown, and where
// Tasks render the tiles of an image, and count the tiles that are ready. One of rank 1 throws at a tile without samples
// (LAGGARD: throws); the exception stays in its future, and main waits for the count (LAGGARD: here).
#include <mpi.h>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace {

int rank;
bool hang;

class Image {
 public:
  explicit Image(int tiles) : tiles_(tiles) {}
  void render(int tile, int samples)
  {
    if (samples == 0 && hang)
      throw std::invalid_argument("a tile without samples"); // LAGGARD: throws
    double sum = 0;
    for (int k = 0; k < samples; k++)
      sum += tile * 0.5 + k;
    std::lock_guard<std::mutex> lock(mutex_);
    light_ += sum;
    if (++ready_ == tiles_)
      done_.notify_one();
  }
  double wait()
  {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return ready_ == tiles_; }); // LAGGARD: here
    return light_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int tiles_, ready_ = 0;
  double light_ = 0;
};

double draw(int frame)
{
  constexpr int tiles = 4;
  Image image(tiles);
  std::vector<std::future<void>> tasks;
  for (int tile = 0; tile < tiles; tile++) {
    int samples = rank == 1 && frame == 6 && tile == 2 ? 0 : 100 + tile;
    tasks.push_back(std::async(std::launch::async, &Image::render, &image, tile, samples));
  }
  double light = image.wait();
  for (auto &task : tasks)
    task.get();
  return light;
}

} // namespace

int main(int argc, char **argv)
{
  int provided;
  double all = 0;
  hang = argc > 1 && std::strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int frame = 0; frame < 10; frame++) {
    double light = draw(frame);
    MPI_Reduce(&light, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0)
    std::printf("light %g\n", all);
  MPI_Finalize();
  return 0;
}
