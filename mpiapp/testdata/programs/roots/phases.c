// np: 3
// named: 0,1
// most: 0.50
// taken: collect
/* Results of two phases with one tag. The first phase is collected from any source: with
 * "hang", where rank 2 is late, it takes a result of the second phase instead of its. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int step;
  double value;
} result;

static int rank, size, last = 8;

static void collect(result *all, int n)
{
  for (int i = 0; i < n; i++)
    MPI_Recv(&all[i], sizeof *all, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void finish(result *all)
{
  for (int w = 1; w < size; w++)
    MPI_Recv(&all[w - 1], sizeof *all, MPI_BYTE, w, last, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
}

static void work(int step, int tag)
{
  result r = {step, rank * 1.5};
  if (rank == 2 && step == 0)
    usleep(500000);
  MPI_Send(&r, sizeof r, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "hang") == 0)
    last = 7;
  result *all = calloc((size_t)size, sizeof *all);
  if (rank == 0) {
    collect(all, size - 1);
    finish(all);
  } else {
    work(0, 7);
    work(1, last);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* LAGGARD: here */
  free(all);
  MPI_Finalize();
  return 0;
}
