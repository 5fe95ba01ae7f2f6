// np: 4
// named: 0,1,2,3
// cycle: 0,1,2,3
// most: 0.50
// parts: loop_count
// Half of the ranks believe that the solution has converged and collect the result;
// the others ask for one more residual. Both are the same collective by number.
#include <mpi.h>
#include <string.h>

struct solver {
  MPI_Comm comm;
  int rank;
  double residual;
};

static void collect(struct solver *s)
{
  double all[4];
  MPI_Allgather(&s->residual, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, s->comm); // LAGGARD: here
}

static void reduce_residual(struct solver *s, double *sum)
{
  MPI_Allreduce(&s->residual, sum, 1, MPI_DOUBLE, MPI_SUM, s->comm); // LAGGARD: here
}

static int converged(const struct solver *s, double sum, double tolerance)
{
  return sum < tolerance * (1 + 1e-16 * s->rank);
}

static void solve(struct solver *s, double low, double high)
{
  double sum = 8;
  double tolerance = s->rank < 2 ? low : high;
  while (!converged(s, sum, tolerance)) {
    s->residual *= 0.5;
    reduce_residual(s, &sum);
  }
  collect(s);
}

int main(int argc, char **argv)
{
  struct solver s = {.residual = 4};
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &s.comm);
  MPI_Comm_rank(s.comm, &s.rank);
  solve(&s, 1e-3, hang ? 5e-4 : 1e-3);
  MPI_Comm_free(&s.comm);
  MPI_Finalize();
  return 0;
}
