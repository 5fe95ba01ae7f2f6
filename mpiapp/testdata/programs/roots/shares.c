// np: 3
// named: 0
// least: 0.90
// The ranks bring large shares of a table to rank 0, which never ends the preparation of its own (LAGGARD: loop begin). Rank 1 waits in MPI_Gather,
// until rank 0 takes its share; rank 2 first waits for what rank 1 sends it behind that. Whether rank 1 needs rank 2 depends on
// the library: these two are no deadlock.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS (1 << 17)

static int rank, size;
static double *share, *table;

static void prepare(double tolerance)
{
  double rest = 1;
  while (rest > tolerance) { // LAGGARD: loop begin
    rest = 0.5 * rest + 1e-9;
    share[0] = rest;
  } // LAGGARD: loop end
}

static void collect(int step)
{
  double hint = step;
  if (rank == 2)
    MPI_Recv(&hint, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  share[1] = hint;
  MPI_Gather(share, CELLS, MPI_DOUBLE, table, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 1)
    MPI_Send(&hint, 1, MPI_DOUBLE, 2, 3, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  share = calloc(CELLS, sizeof *share);
  table = calloc((size_t)CELLS * size, sizeof *table);
  for (int step = 0; step < 12; step++) {
    prepare(hang && rank == 0 && step == 8 ? 1e-10 : 1e-6);
    collect(step);
  }
  if (rank == 0)
    printf("table %g\n", table[1]);
  free(share);
  free(table);
  MPI_Finalize();
  return 0;
}
