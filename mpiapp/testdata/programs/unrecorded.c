// A program that is started several times, once without the recorder: `crossed` receives before it sends in ranks 0 and 1, `late` has the
// last rank compute for ever (LAGGARD: loop begin), while the others wait for it; with `good` it ends well.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void swap(double *mine, int first)
{
  double theirs = 0;
  int peer = 1 - rank;
  if (first)
    MPI_Send(mine, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD);
  MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // LAGGARD: here
  if (!first)
    MPI_Send(mine, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD);
  *mine = theirs;
}

static void draw(double limit)
{
  volatile double seen = 1;
  while (seen > limit) // LAGGARD: loop begin
    seen = 0.5 * seen; // LAGGARD: loop end
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "good";
  double mine, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mine = rank;
  for (int step = 0; step < 10; step++) {
    if (rank < 2)
      swap(&mine, rank == 0 && !(step == 0 && strcmp(mode, "crossed") == 0));
    if (rank == size - 1)
      draw(step == 6 && strcmp(mode, "late") == 0 ? -1 : 1e-3);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("sum %g\n", sum);
  MPI_Finalize();
  return 0;
}
