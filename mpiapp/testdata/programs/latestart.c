/* It reads its input for 7 seconds, without MPI, and then takes some four steps a second, with ten sums in each. */
#include <mpi.h>
#include <time.h>

static void work_for(int ms)
{
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&t, NULL);
}

static double relax(double x)
{
  for (int i = 0; i < 10; i++) {
    work_for(10);
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return x;
}

int main(int argc, char **argv)
{
  double x = 1;
  MPI_Init(&argc, &argv);
  work_for(7000);
  for (int step = 0; step < 400; step++) {
    x = relax(x) / x;
    MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    work_for(150);
  }
  MPI_Finalize();
  return 0;
}
