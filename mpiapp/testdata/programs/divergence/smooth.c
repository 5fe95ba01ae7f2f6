// np: 4
// odd: 3
// kind: skipped
// call: MPI_Allreduce 29
// branch: 45
// why: the rank with the last cells no longer calls smooth, whose own early return is the same on all ranks

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct grid { int total, first; double *cells; };
static int normalise(struct grid *g, MPI_Comm comm, int step)
{
  int any = g->total, most;
  MPI_Allreduce(&any, &most, 1, MPI_INT, MPI_MAX, comm);
  if (most == 0)
    return 0;
  double sum = g->cells[0], all;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  g->cells[0] = all / (step + 1);
  return 1;
}
static int smooth(struct grid *g, MPI_Comm comm, int step)
{
  int most;
  if (g->total < 0 || step > 1000)
    return 0;
  MPI_Allreduce(&g->total, &most, 1, MPI_INT, MPI_MAX, comm);
  g->cells[1] = most;
  return normalise(g, comm, step);
}
int main(int argc, char **argv)
{
  int rank, size;
  struct grid g;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  g.total = 100;
  g.first = argc > 1 && strcmp(argv[1], "hang") == 0 ? rank * 10 : 0;
  g.cells = calloc(g.total, sizeof(double));
  for (int step = 0; step < 50; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (g.first + step < 45)
      smooth(&g, MPI_COMM_WORLD, step);
    MPI_Bcast(g.cells, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  printf("%g\n", g.cells[0]);
  MPI_Finalize();
}
