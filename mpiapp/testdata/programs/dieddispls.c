/* Counts and displacements that an int does not hold, or that reach beyond the buffer:
 * dieddispls MODE [right]. With "right" the program is correct. Rank 2 is the one that dies. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT 2
#define CELLS 1000

static int rank, size;
static int right;

static int *ints(void) { return calloc((size_t)size, sizeof(int)); }

/* offsets makes running sums of counts in an int. */
static void offsets(const int *counts, int *displs)
{
  for (int i = 1; i < size; i++)
    displs[i] = (int)((unsigned)displs[i - 1] + (unsigned)counts[i - 1]);
}

/* gather collects a field at the root, by offsets that are reserved for a larger one. */
static void gather(void)
{
  int *counts = ints(), *displs = ints(), most = right ? CELLS : 1500000000;
  char *mine = calloc(CELLS, 1), *all = calloc((size_t)size, CELLS);
  for (int i = 0; i < size; i++)
    counts[i] = most;
  offsets(counts, displs);
  MPI_Gatherv(mine, CELLS, MPI_CHAR, all, counts, displs, MPI_CHAR, ROOT, MPI_COMM_WORLD);
}

/* exchange sends parts to all; the offsets of what comes in are wrong in one rank. */
static void exchange(void)
{
  int *sends = ints(), *receives = ints(), *to = ints(), *from = ints();
  for (int i = 0; i < size; i++)
    sends[i] = receives[i] = CELLS;
  offsets(sends, to);
  offsets(receives, from);
  if (!right && rank == ROOT)
    from[3] = -2147483640;
  double *out = calloc((size_t)size * CELLS, sizeof *out), *in = calloc((size_t)size * CELLS, sizeof *in);
  MPI_Alltoallv(out, sends, to, MPI_DOUBLE, in, receives, from, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* scatter gives parts away whose offsets were made with the size of another grid. */
static void scatter(void)
{
  int *counts = ints(), *displs = ints();
  double *all = malloc((size_t)size * CELLS * sizeof *all), mine[CELLS];
  memset(all, 0, (size_t)size * CELLS * sizeof *all);
  for (int i = 0; i < size; i++) {
    counts[i] = CELLS;
    displs[i] = right ? i * CELLS : i * CELLS * 40000;
  }
  MPI_Scatterv(all, counts, displs, MPI_DOUBLE, mine, CELLS, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

/* product passes a count that is the product of two ints. */
static void product(void)
{
  int nx = right ? 100 : 50000, ny = right ? 10 : 50000;
  char *field = calloc(CELLS, 1);
  if (rank == ROOT)
    MPI_Send(field, (int)((unsigned)nx * (unsigned)ny), MPI_CHAR, 0, 7, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Recv(field, CELLS, MPI_CHAR, ROOT, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"gather", gather}, {"exchange", exchange}, {"scatter", scatter}, {"product", product}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = argc > 2 && strcmp(argv[2], "right") == 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
      modes[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
