// np: 6
// named: 0,5
// cycle: -
// least: 0.90
// Parameters come from rank 0 by broadcasts. Rank 0 runs ahead of all and never
// comes to the tenth; rank 5 has stopped three broadcasts before. Neither waits for
// the other.
#include <mpi.h>
#include <string.h>

struct stage {
  int number;
  double tolerance;
};

struct driver {
  MPI_Comm comm;
  int rank, stop_after; // -1: never
};

static struct stage next_stage(const struct driver *d, int number)
{
  struct stage s = {number, 1e-6 * number};
  MPI_Bcast(&s, sizeof s, MPI_BYTE, 0, d->comm);
  return s;
}

static double refine(const struct stage *s, int left)
{
  double x = s->tolerance;
  while (left != 0) { // LAGGARD: loop begin
    x = x * 0.5 + 1e-9 * s->number;
    left -= left > 0;
  } // LAGGARD: loop end
  return x;
}

static double run(const struct driver *d)
{
  double sum = 0;
  for (int i = 1; i <= 20; i++) {
    struct stage s = next_stage(d, i);
    sum += refine(&s, i == d->stop_after ? -1 : 1000);
  }
  return sum;
}

int main(int argc, char **argv)
{
  struct driver d = {MPI_COMM_NULL, 0, -1};
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &d.comm);
  MPI_Comm_rank(d.comm, &d.rank);
  if (hang && d.rank == 0)
    d.stop_after = 10;
  if (hang && d.rank == 5)
    d.stop_after = 7;
  double mine = run(&d), sum;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, d.comm);
  MPI_Comm_free(&d.comm);
  MPI_Finalize();
  return 0;
}
