// np: 4
// named: 2
// cycle: 2,3
// least: 0.60
// most: 0.60
// says: where no rank has been before
// Shallow water on a line of ranks: ghost cells by messages; where a depth becomes negative, the volume over all ranks is summed up by
// messages for a warning. With hang, only the rank that finds such a cell does so.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define CELLS 4096
#define STEPS 24
#define TAG_GHOST 40
#define TAG_SUM 47

static double stage[CELLS + 2];
static int rank, size, hang;

static double sum_over_ranks(double mine)
{
  for (int bit = 1; bit < size; bit <<= 1) {
    if (rank & bit) {
      MPI_Send(&mine, 1, MPI_DOUBLE, rank - bit, TAG_SUM, MPI_COMM_WORLD);
      break;
    }
    if (rank + bit < size) {
      double other;
      MPI_Recv(&other, 1, MPI_DOUBLE, rank + bit, TAG_SUM, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
      mine += other;
    }
  }
  MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return mine;
}

static double volume(void)
{
  double sum = 0;
  for (int i = 1; i <= CELLS; i++)
    sum += stage[i];
  return sum_over_ranks(sum); /* LAGGARD: here */
}

static void exchange_ghosts(void)
{
  MPI_Request r[4];
  MPI_Status done[4];
  int n = 0;
  if (rank > 0) {
    MPI_Irecv(&stage[0], 1, MPI_DOUBLE, rank - 1, TAG_GHOST, MPI_COMM_WORLD, &r[n++]);
    MPI_Isend(&stage[1], 1, MPI_DOUBLE, rank - 1, TAG_GHOST, MPI_COMM_WORLD, &r[n++]);
  }
  if (rank < size - 1) {
    MPI_Irecv(&stage[CELLS + 1], 1, MPI_DOUBLE, rank + 1, TAG_GHOST, MPI_COMM_WORLD, &r[n++]);
    MPI_Isend(&stage[CELLS], 1, MPI_DOUBLE, rank + 1, TAG_GHOST, MPI_COMM_WORLD, &r[n++]);
  }
  MPI_Waitall(n, r, done);
}

static void update(int step)
{
  int negative = 0;
  for (int i = 1; i <= CELLS; i++)
    stage[i] += 0.1 * (stage[i - 1] - 2 * stage[i] + stage[i + 1]);
  if (step == STEPS / 2 && rank == 2)
    stage[CELLS / 2] = -1;
  for (int i = 1; i <= CELLS; i++)
    if (stage[i] < 0) {
      stage[i] = 0;
      negative++;
    }
  if (!hang)
    MPI_Allreduce(MPI_IN_PLACE, &negative, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (negative > 0) {
    double total = volume(); /* LAGGARD: here */
    if (rank == 0)
      printf("negative depths, of a volume of %g\n", total);
  }
}

int main(int argc, char **argv)
{
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < CELLS + 2; i++)
    stage[i] = 1;
  for (int step = 0; step < STEPS; step++) {
    update(step);
    exchange_ghosts();
  }
  MPI_Finalize();
  return 0;
}
