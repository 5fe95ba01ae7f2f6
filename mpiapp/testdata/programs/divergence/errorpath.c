// np: 4
// odd: 2
// kind: error_path
// call: MPI_Allreduce 22
// branch: 20
// One rank finds an error, returns it, and goes home.
#include <mpi.h>
#include <string.h>

static int fails, me;

static int check(int step)
{
  return fails && me == 2 && step == 20;
}

static int advance(int step)
{
  double local = me + step, sum;
  if (check(step))
    return 1;
  MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return 0;
}

static void simulate(void)
{
  for (int step = 0; step < 40; step++)
    if (advance(step))
      return;
}

int main(int argc, char **argv)
{
  fails = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  simulate();
  MPI_Finalize();
  return 0;
}
