// np: 4
// odd: 1
// kind: order
// call: MPI_Allreduce 66
// branch: -
// why: observers run in the order of their names, and a rank with an accelerator puts a prefix before the name of one (line 84)

// A simulation that notifies observers, each with a communicator of its own.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

struct State {
  int step = 0;
  std::vector<double> cells = std::vector<double>(20, 1.0);
  void advance()
  {
    step++;
    for (std::size_t i = 1; i < cells.size(); i++)
      cells[i] = 0.5 * (cells[i] + cells[i - 1]) + 1e-3 * step;
  }
};

class Observer {
public:
  explicit Observer(MPI_Comm from) { MPI_Comm_dup(from, &comm); }
  virtual ~Observer() { MPI_Comm_free(&comm); }
  virtual void notify(const State &s) = 0;
  virtual std::string name() const = 0;

protected:
  MPI_Comm comm;
};

class Energy : public Observer {
public:
  using Observer::Observer;
  std::string name() const override { return "energy"; }
  void notify(const State &s) override
  {
    double mine = 0;
    for (double x : s.cells)
      mine += x * x;
    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
  }

private:
  double total = 0;
};

class Momentum : public Observer {
public:
  using Observer::Observer;
  std::string name() const override { return "momentum"; }
  void notify(const State &s) override
  {
    double mine = s.cells.front() - s.cells.back();
    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
  }

private:
  double total = 0;
};

struct Device {
  bool accelerator = false;
};

class Subject {
public:
  explicit Subject(const Device &d) : device(d) {}

  void attach(std::unique_ptr<Observer> o, bool heavy)
  {
    std::string key = o->name();
    if (heavy && device.accelerator)
      key = "acc:" + key;
    observers[key] = std::move(o);
  }

  void notify(const State &s)
  {
    for (auto &[key, o] : observers)
      o->notify(s);
  }

  // In the order of creation, which is the same everywhere.
  void detach(const std::vector<std::string> &names)
  {
    for (const std::string &n : names)
      for (auto it = observers.begin(); it != observers.end();)
        it = it->second->name() == n ? observers.erase(it) : std::next(it);
  }

private:
  Device device;
  std::map<std::string, std::unique_ptr<Observer>> observers;
};

Device probe(int rank, bool mixed)
{
  Device d;
  d.accelerator = mixed && rank == 1;
  return d;
}

void run(Subject &subject, State &s, MPI_Comm comm)
{
  subject.attach(std::make_unique<Energy>(comm), false);
  while (s.step < 30) {
    s.advance();
    subject.notify(s);
  }
  subject.attach(std::make_unique<Momentum>(comm), true);
  while (s.step < 60) {
    s.advance();
    subject.notify(s);
  }
  subject.detach({"energy", "momentum"});
}

} // namespace

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  State state;
  Subject subject(probe(rank, argc > 1 && std::strcmp(argv[1], "hang") == 0));
  run(subject, state, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%d steps\n", state.step);
  MPI_Finalize();
  return 0;
}
