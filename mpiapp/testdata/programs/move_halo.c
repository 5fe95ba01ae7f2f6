/* A halo exchange: the edge column of a field is packed into one of two buffers in
 * turn, sent to the next rank and unpacked into its halo. With an argument, in
 * one step of 30 the other buffer is sent, with the edge of the step before. */
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

static void advance(void)
{
  for (int i = 0; i < ROWS; i++)
    for (int k = 1; k < COLUMNS - 1; k++)
      field[i][k] = (field[i][k - 1] + field[i][k + 1]) / 2;
}

int main(int argc, char **argv)
{
  int rank, size, bad = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  field = calloc(ROWS, sizeof *field);
  double *edge[2], *halo = malloc(ROWS * sizeof *halo);
  for (int i = 0; i < 2; i++)
    edge[i] = malloc(ROWS * sizeof *edge[i]);
  for (int i = 0; i < STEPS; i++) {
    int turn = i % 2, wrong = bad && i % RARE == RARE / 2;
    MPI_Request r;
    MPI_Irecv(halo, ROWS, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r);
    pack(edge[turn], COLUMNS - 2);
    MPI_Send(edge[wrong ? 1 - turn : turn], ROWS, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    unpack(halo, 0);
    advance();
  }
  MPI_Finalize();
  return 0;
}
