// np: 4
// named: 1
// cycle: -
// most: 0.60
// says: thrown in
// A pool: rank 0 hands out tasks and takes results from any worker. A task throws at
// rank 1; the exception is told to the log, and the worker goes home without a result.
#include <mpi.h>
#include <cmath>
#include <iostream>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

namespace pool {

enum Tag { kTask = 1, kResult, kStop };

struct Task {
  int id;
  double x;
};

class Channel {
 public:
  explicit Channel(MPI_Comm comm) : comm_(comm) { MPI_Comm_rank(comm, &rank_); MPI_Comm_size(comm, &size_); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  template <typename T> void send(const T &what, int to, Tag tag) const
  {
    MPI_Send(&what, sizeof what, MPI_BYTE, to, tag, comm_);
  }
  template <typename T> MPI_Status receive(T *what, int from, int tag) const
  {
    MPI_Status status;
    MPI_Recv(what, sizeof *what, MPI_BYTE, from, tag, comm_, &status);
    return status;
  }

 private:
  MPI_Comm comm_;
  int rank_, size_;
};

class Solver {
 public:
  explicit Solver(bool strict) : strict_(strict) {}
  double solve(const Task &t) const
  {
    if (strict_ && t.x <= 0)
      throw std::domain_error("task " + std::to_string(t.id) + " does not converge");
    return std::sqrt(t.x);
  }

 private:
  bool strict_;
};

double hand_out(const Channel &c, std::queue<Task> tasks)
{
  double sum = 0, y;
  int open = 0;
  for (int w = 1; w < c.size() && !tasks.empty(); w++, open++, tasks.pop())
    c.send(tasks.front(), w, kTask);
  for (; open > 0; open--) {
    MPI_Status from = c.receive(&y, MPI_ANY_SOURCE, kResult);
    sum += y;
    if (!tasks.empty()) {
      c.send(tasks.front(), from.MPI_SOURCE, kTask);
      tasks.pop();
      open++;
    }
  }
  for (int w = 1; w < c.size(); w++)
    c.send(Task(), w, kStop);
  return sum;
}

void work(const Channel &c, const Solver &s)
{
  Task t;
  while (c.receive(&t, 0, MPI_ANY_TAG).MPI_TAG == kTask)
    c.send(s.solve(t), 0, kResult);
}

void run(const Channel &c, bool strict)
{
  std::queue<Task> tasks;
  for (int i = 0; i < 30; i++)
    tasks.push(Task{i, i * 1.0});
  if (c.rank() == 0)
    std::cout << "sum " << hand_out(c, tasks) << std::endl;
  else
    work(c, Solver(strict));
}

void leave()
{
  MPI_Finalize(); // LAGGARD: here
}

}  // namespace pool

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  try {
    pool::run(pool::Channel(MPI_COMM_WORLD), argc > 1 && std::string(argv[1]) == "hang");
  } catch (const std::exception &e) {
    std::cerr << "worker: " << e.what() << std::endl;
  }
  pool::leave();
  return 0;
}
