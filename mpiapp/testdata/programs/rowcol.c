/* A grid of ranks with a communicator for each row and each column: sums along
 * rows, then a broadcast down the columns. With "hang" rank 5 never ends its
 * local part, so that its row waits for it, and the columns for the row. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define ACROSS 4
#define VICTIM 5

static int hang, rank;

static double local_part(int step)
{
  double term = 1, sum = 0;
  int faulty = hang && rank == VICTIM && step == 2; /* LAGGARD: cause */
  for (int i = 1; term > 1e-12; i++) { /* LAGGARD: loop begin */
    sum += term;
    term = faulty ? 1.0 / (1 + i % 7) : term / (i + rank);
  } /* LAGGARD: loop end */
  return sum;
}

static double step_once(MPI_Comm row, MPI_Comm column, int step)
{
  double mine = local_part(step), sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
  MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, column);
  return sum;
}

int main(int argc, char **argv)
{
  MPI_Comm row, column;
  double x = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / ACROSS, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % ACROSS, rank, &column);
  for (int step = 0; step < 4; step++)
    x += step_once(row, column, step);
  if (rank == 0)
    printf("x %.9f\n", x);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Finalize();
  return 0;
}
