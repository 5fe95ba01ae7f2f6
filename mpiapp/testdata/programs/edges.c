/* Ranks in a row exchange their borders and collect what comes by MPI_Testsome or MPI_Testany. With "some-hang" and "any-hang" the
 * ranks at both ends wait for two messages, as the others do, though they have one neighbour: all their requests are null, and MPI says
 * so for ever. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool any;

static int expected(int neighbours, bool hang) { return hang ? 2 : neighbours; }

static void collect(MPI_Request *r, int left)
{
  int n, at[2], flag;
  while (left > 0) { /* LAGGARD: loop begin */
    if (any) {
      MPI_Testany(2, r, at, &flag, MPI_STATUS_IGNORE);
      left -= flag && at[0] != MPI_UNDEFINED;
    } else {
      MPI_Testsome(2, r, &n, at, MPI_STATUSES_IGNORE);
      left -= n == MPI_UNDEFINED ? 0 : n;
    } /* LAGGARD: loop end */
  }
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  int rank, size;
  double in[2] = {0}, x = 1;
  any = strncmp(mode, "any", 3) == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 5; step++) {
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int neighbours = 0;
    for (int side = 0; side < 2; side++) {
      int peer = rank + 2 * side - 1;
      if (peer < 0 || peer >= size)
        continue;
      MPI_Irecv(&in[side], 1, MPI_DOUBLE, peer, step, MPI_COMM_WORLD, &r[side]);
      MPI_Send(&x, 1, MPI_DOUBLE, peer, step, MPI_COMM_WORLD);
      neighbours++;
    }
    collect(r, expected(neighbours, strstr(mode, "hang") && step == 3));
    x = 0.5 * (in[0] + in[1]);
  }
  if (rank == 0)
    printf("x %.3f\n", x);
  MPI_Finalize();
  return 0;
}
