// A solver made of templates and lambdas: a step that diverges throws, is
// caught further out and tried again with a smaller step. With "hang" the step
// of rank 3 diverges for ever, so that it throws and catches without end.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace solve {

constexpr int victim = 3;

struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Scalar> class Field {
public:
  explicit Field(std::size_t n) : cells(n, Scalar(1)) {}

  template <typename Function> void apply(Function f)
  {
    for (auto &c : cells)
      f(c);
  }

  Scalar sum() const { return std::accumulate(cells.begin(), cells.end(), Scalar(0)); }

private:
  std::vector<Scalar> cells;
};

template <typename Scalar> void advance(Field<Scalar> &field, Scalar h, Scalar bound)
{
  field.apply([h, bound](Scalar &c) {
    Scalar next = c + h * std::sin(c);
    if (std::fabs(next) > bound)
      throw Diverged("step " + std::to_string(h));
    c = next;
  });
}

template <typename Scalar> int retry(Field<Scalar> &field, Scalar bound)
{
  for (int tries = 1;; tries++) { // LAGGARD: loop begin
    try {
      advance(field, Scalar(1) / tries, bound);
      return tries;
    } catch (const Diverged &) {
    }
  } // LAGGARD: loop end
}

} // namespace solve

int main(int argc, char **argv)
{
  bool hang = argc > 1 && std::string(argv[1]) == "hang";
  int rank;
  double all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  solve::Field<double> field(32);
  std::function<double()> total = [&] {
    double mine = field.sum(), sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  };
  for (int step = 0; step < 6; step++) {
    solve::retry(field, hang && rank == solve::victim && step == 4 ? 0.5 : 100.0); /* LAGGARD: cause */
    all += total();
  }
  if (rank == 0)
    std::printf("total %.6f\n", all);
  MPI_Finalize();
  return 0;
}
