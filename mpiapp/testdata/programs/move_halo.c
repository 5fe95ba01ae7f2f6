/* A halo exchange: the edge columns of a field are packed, sent to both
 * neighbours and unpacked into theirs. With an argument, in one step of 30 the
 * buffer of the left edge is sent to the right one too. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, COLUMNS = 32, STEPS = 300, RARE = 30 };
static double (*field)[COLUMNS];

static void pack(double *edge, int column)
{
  for (int i = 0; i < ROWS; i++)
    memcpy(edge + i, &field[i][column], sizeof *edge);
}

static void unpack(const double *edge, int column)
{
  for (int i = 0; i < ROWS; i++)
    memcpy(&field[i][column], edge + i, sizeof *edge);
}

static void advance(double (*fresh)[COLUMNS])
{
  for (int i = 0; i < ROWS; i++)
    for (int k = 1; k < COLUMNS - 1; k++)
      fresh[i][k] = (field[i][k - 1] + field[i][k + 1]) / 2;
  for (int i = 0; i < ROWS; i++) {
    memcpy(&field[i][1], &fresh[i][1], (COLUMNS - 2) * sizeof(double));
  }
}

int main(int argc, char **argv)
{
  int rank, size, bad = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  field = calloc(ROWS, sizeof *field);
  double (*fresh)[COLUMNS] = calloc(ROWS, sizeof *fresh);
  double *to_left = malloc(ROWS * sizeof(double)), *to_right = malloc(ROWS * sizeof(double));
  double *from_left = malloc(ROWS * sizeof(double)), *from_right = malloc(ROWS * sizeof(double));
  for (int i = 0; i < STEPS; i++) {
    MPI_Request r[4];
    MPI_Irecv(from_left, ROWS, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(from_right, ROWS, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
    pack(to_left, 1);
    pack(to_right, COLUMNS - 2);
    MPI_Isend(to_left, ROWS, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(bad && i % RARE == RARE / 2 ? to_left : to_right, ROWS, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    unpack(from_left, 0);
    unpack(from_right, COLUMNS - 1);
    advance(fresh);
  }
  MPI_Finalize();
  return 0;
}
