/* A program that gives way to another one. Each process starts itself once more with another environment before it
 * calls MPI, as wrappers do that choose a processor or a device. "hang": rank 2 then stays in a loop; "replaced": in
 * the midst of the work rank 1 becomes a program that knows nothing of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double weight = 1.0;

static void start_again(char **argv)
{
  if (getenv("SUCCESSOR_DEVICE"))
    return;
  setenv("SUCCESSOR_DEVICE", "1", 1);
  execv("/proc/self/exe", argv);
  _exit(9);
}

static void settle(int forever)
{
  do
    weight = 0.5 * (weight + 1.0 / weight); /* LAGGARD: loop */
  while (forever); /* LAGGARD: loop */
}

static int agree(int mine)
{
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* LAGGARD: here replaced */
  return mine;
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int rank, sum = 0;
  start_again(argv);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; i++) {
    settle(rank == 2 && i == 3 && strcmp(mode, "hang") == 0);
    sum += agree(rank + i);
    if (rank == 1 && i == 3 && strcmp(mode, "replaced") == 0)
      execl("/bin/sleep", "sleep", "1000", (char *)NULL);
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
