// np: 4
// named: 0,1,2,3
// says: and rank 1 called MPI_Allreduce on the communicator of ranks 1,3
// A grid of ranks relaxes in two directions, first along rows and then along columns. With hang, every other rank begins with its column.
#include <mpi.h>
#include <string.h>

static MPI_Comm row, column;

static double along(MPI_Comm line, double value)
{
  double sum;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, line); /* LAGGARD: here */
  return sum;
}

int main(int argc, char **argv)
{
  int size, rank, dims[2] = {0, 0}, wraps[2] = {0, 0}, at[2], rows[2] = {0, 1}, columns[2] = {1, 0};
  double value;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, at);
  MPI_Cart_sub(grid, rows, &row);
  MPI_Cart_sub(grid, columns, &column);
  value = rank;
  for (int sweep = 0; sweep < 30; sweep++) {
    int odd = argc > 1 && strcmp(argv[1], "hang") == 0 && sweep == 20 && (at[0] + at[1]) % 2 == 1;
    if (odd)
      value = along(column, value) / 4; /* LAGGARD: here */
    value = along(row, value) / 2; /* LAGGARD: here */
    if (!odd)
      value = along(column, value) / 2;
  }
  MPI_Finalize();
  return 0;
}
