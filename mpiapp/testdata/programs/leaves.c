/* A rank that goes away in the middle: "kill" ends it with SIGKILL, "exit" and
 * "_exit" with status 3 and without MPI_Finalize, "segv" with a null pointer.
 * The others go on to a collective and wait for it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VICTIM 3

static void leave(const char *mode, double *missing)
{
  usleep(300000); /* the others are in the collective by now */
  if (strcmp(mode, "kill") == 0)
    kill(getpid(), SIGKILL);
  if (strcmp(mode, "exit") == 0)
    exit(3); /* LAGGARD: exits */
  if (strcmp(mode, "_exit") == 0)
    _exit(3); /* LAGGARD: ends at once */
  if (strcmp(mode, "segv") == 0)
    *missing = 1; /* LAGGARD: here */
}

static double step(int i, int rank)
{
  double x = rank + i, sum;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* LAGGARD: last call */
  return sum;
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int rank;
  double sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 6; i++) {
    sum += step(i, rank);
    if (rank == VICTIM && i == 4 && strcmp(mode, "ok") != 0)
      leave(mode, NULL);
  }
  if (rank == 0)
    printf("sum %.1f\n", sum);
  MPI_Finalize();
  return 0;
}
