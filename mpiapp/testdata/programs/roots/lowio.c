// np: 3
// named: 0
// least: 0.60
// most: 0.60
// says: rank 0 called MPI_Gather
// A climate model on latitude bands: each step exchanges boundary rows and sums up a mass, and now and then fields are gathered. With hang,
// the option to gather the fields of the grid as well is read at rank 0 and not broadcast.
#include <mpi.h>
#include <string.h>

enum { ROWS = 16, POINTS = 64, STEPS = 60, EVERY = 8 };

static double field[ROWS + 2][POINTS], all[4 * ROWS * POINTS];
static int rank, size, low_output = 1;

static void gather_field(void)
{
  MPI_Gather(field[1], ROWS * POINTS, MPI_DOUBLE, all, ROWS * POINTS, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* LAGGARD: here */
}

static void write_spectral(void)
{
  gather_field();
}

static void write_grid(void)
{
  gather_field(); /* LAGGARD: here */
}

static void output(int step)
{
  if (step % EVERY == 0)
    write_spectral();
  if (step % EVERY == 0 && step > STEPS / 2 && !low_output)
    write_grid(); /* LAGGARD: here */
}

static void exchange_rows(void)
{
  int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(field[ROWS], POINTS, MPI_DOUBLE, up, 7, field[0], POINTS, MPI_DOUBLE, down, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(field[1], POINTS, MPI_DOUBLE, down, 8, field[ROWS + 1], POINTS, MPI_DOUBLE, up, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void conserve_mass(void)
{
  double mass = 0;
  for (int r = 1; r <= ROWS; r++)
    for (int p = 0; p < POINTS; p++)
      mass += field[r][p];
  MPI_Allreduce(MPI_IN_PLACE, &mass, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    low_output = 0;
  if (argc < 2 || strcmp(argv[1], "hang") != 0)
    MPI_Bcast(&low_output, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int step = 1; step <= STEPS; step++) {
    exchange_rows();
    conserve_mass();
    output(step);
  }
  MPI_Finalize();
  return 0;
}
