// np: 4
// odd: 2
// kind: skipped
// call: MPI_Allreduce 37
// branch: 64
// why: a departure point outside the grid throws on one rank, and the handler in the driver goes on behind the sum (line 64)

// Semi-Lagrangian transport of a tracer; a bad point is counted and forgiven.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Communicator {
public:
  explicit Communicator(MPI_Comm from) { MPI_Comm_dup(from, &comm); }
  ~Communicator() { MPI_Comm_free(&comm); }
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  int rank() const
  {
    int r;
    MPI_Comm_rank(comm, &r);
    return r;
  }

  double sum(double x) const
  {
    double out = 0;
    MPI_Allreduce(&x, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
    return out;
  }

  std::vector<int> gather(int x) const
  {
    int size;
    MPI_Comm_size(comm, &size);
    std::vector<int> all(size);
    MPI_Allgather(&x, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    return all;
  }

private:
  MPI_Comm comm;
};

class Interpolator {
public:
  virtual ~Interpolator() = default;
  virtual double at(const std::vector<double> &f, double x) const = 0;
};

class Linear : public Interpolator {
public:
  double at(const std::vector<double> &f, double x) const override
  {
    if (x < 0 || x >= f.size() - 1.0)
      throw std::out_of_range("departure point at " + std::to_string(x));
    auto i = static_cast<std::size_t>(x);
    return f[i] + (x - i) * (f[i + 1] - f[i]);
  }
};

struct Wind {
  double speed, gust;
  int from;
  double at(int step) const { return step >= from ? speed + gust : speed; }
};

class Tracer {
public:
  Tracer(const Communicator &c, std::unique_ptr<Interpolator> i, Wind w, std::size_t n)
      : comm(c), interpolate(std::move(i)), wind(w), now(n, 1.0), next(n, 1.0)
  {
  }

  double step(int number)
  {
    advect(wind.at(number));
    return comm.sum(mass());
  }

private:
  void advect(double speed)
  {
    for (std::size_t i = margin; i < now.size() - margin; i++)
      next[i] = interpolate->at(now, i - speed);
    now.swap(next);
  }

  double mass() const
  {
    double m = 0;
    for (double x : now)
      m += x;
    return m;
  }

  static constexpr std::size_t margin = 4;
  const Communicator &comm;
  std::unique_ptr<Interpolator> interpolate;
  Wind wind;
  std::vector<double> now, next;
};

struct Diary {
  int bad = 0;
  double mass = 0;
};

Diary drive(const Communicator &comm, Tracer &tracer, int steps)
{
  Diary d;
  for (int s = 0; s < steps; s++) {
    try {
      d.mass = tracer.step(s);
    } catch (const std::exception &e) {
      d.bad++;
    }
    if (s % 4 == 3)
      for (int n : comm.gather(d.bad))
        d.bad += n > 1000;
  }
  return d;
}

} // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  {
    Communicator comm(MPI_COMM_WORLD);
    bool stormy = argc > 1 && std::strcmp(argv[1], "hang") == 0;
    Wind wind{0.4, stormy && comm.rank() == 2 ? 4.2 : 0.1, 53};
    Tracer tracer(comm, std::make_unique<Linear>(), wind, 40);
    Diary d = drive(comm, tracer, 90);
    if (comm.rank() == 0)
      std::printf("mass %g, %d bad steps\n", d.mass, d.bad);
  }
  MPI_Finalize();
  return 0;
}
