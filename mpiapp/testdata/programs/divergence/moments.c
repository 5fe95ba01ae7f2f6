// np: 4
// odd: 2
// kind: skipped
// call: MPI_Allreduce 33
// branch: 26
// why: the rank whose cloud has lost its last particle returns from moments, which all call in every third step

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct cloud { int np; double *x; };
static void fill(struct cloud *c, MPI_Comm comm)
{
  int total[4] = {12, 8, 4, 30};
  MPI_Scatter(total, 1, MPI_INT, &c->np, 1, MPI_INT, 0, comm);
  c->x = malloc((c->np + 1) * sizeof(double));
  if (!c->x)
    MPI_Abort(comm, 1);
  for (int i = 0; i < c->np; i++)
    c->x[i] = i;
}
static double moments(struct cloud *c, MPI_Comm comm)
{
  double sum = 0, all = 0, *copy;
  if (c->np <= 0)
    return 0;
  copy = malloc(c->np * sizeof(double));
  if (copy == NULL)
    return -1;
  for (int i = 0; i < c->np; i++)
    sum += copy[i] = c->x[i];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  free(copy);
  return all;
}
int main(int argc, char **argv)
{
  struct cloud *c = malloc(sizeof *c);
  double m = 0;
  int every = 3, least = argc > 1 && strcmp(argv[1], "hang") == 0 ? 0 : 1;
  MPI_Init(&argc, &argv);
  if (argc > 2)
    every = atoi(argv[2]);
  fill(c, MPI_COMM_WORLD);
  for (int step = 0; step < 60; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->np > least && step % 2)
      c->np--;
    if (step % every == 0)
      m += moments(c, MPI_COMM_WORLD);
    MPI_Bcast(&m, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  printf("%g\n", m);
  MPI_Finalize();
}
