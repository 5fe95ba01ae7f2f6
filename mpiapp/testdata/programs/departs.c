/* A ring and a sum without end, of which one rank leaves at a given moment:
 *   departs HOW RANK MILLISECONDS
 * HOW: exit, _exit, abort, mpiabort, segv, or stay (the rank is killed or stopped from
 * outside); before: it waits for a licence before it calls MPI_Init. The others wait
 * for it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static double step(double x)
{
  double in, sum;
  MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 1, &in, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / size;
}

static double compute(double x)
{
  for (int i = 0; i < 200000; i++)
    x = x * 0.5 + i;
  return x;
}

static void leave(const char *how)
{
  if (strcmp(how, "exit") == 0)
    exit(3);
  if (strcmp(how, "_exit") == 0)
    _exit(3);
  if (strcmp(how, "abort") == 0)
    abort();
  if (strcmp(how, "mpiabort") == 0)
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(how, "segv") == 0)
    raise(SIGSEGV);
}

static void await_licence(void)
{
  for (;;)
    sleep(1);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  int victim = atoi(argv[2]);
  const char *launched = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (strcmp(argv[1], "before") == 0 && launched && atoi(launched) == victim)
    await_licence();
  double x = 1, after = atof(argv[3]) / 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (double begin = MPI_Wtime();;) {
    x = step(compute(x));
    if (rank == victim && MPI_Wtime() - begin > after)
      leave(argv[1]);
  }
}
