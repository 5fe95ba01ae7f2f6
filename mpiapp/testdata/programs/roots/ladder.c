// np: 4
// named: 1
// cycle: 0,1
// least: 0.60
// most: 0.60
// taken: swap
// Parallel tempering: neighbours in temperature swap their states each step, and now and then rank 0 sends all its history. With hang the
// swap receives with any tag, and takes the history for a state.
#include <mpi.h>
#include <string.h>

enum { STEPS = 200, HISTORY = 150, TAG_HISTORY = 222, TAG_SWAP = 888, TAG_BACK = 999 };

static int rank, size, any_tag;
static double history[8];

static void send_history(int step)
{
  if (step == HISTORY && rank == 0)
    for (int to = 1; to < size; to++)
      MPI_Send(history, 8, MPI_DOUBLE, to, TAG_HISTORY, MPI_COMM_WORLD);
}

static void receive_history(int step)
{
  if (step == HISTORY + 1 && rank > 0)
    MPI_Recv(history, 8, MPI_DOUBLE, 0, TAG_HISTORY, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
}

static void swap(void)
{
  double mine[8] = {0}, theirs[8];
  if (rank > 0) {
    MPI_Recv(theirs, 8, MPI_DOUBLE, rank - 1, any_tag ? MPI_ANY_TAG : TAG_SWAP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(mine, 8, MPI_DOUBLE, rank - 1, TAG_BACK, MPI_COMM_WORLD);
  }
  if (rank + 1 < size) {
    MPI_Send(mine, 8, MPI_DOUBLE, rank + 1, TAG_SWAP, MPI_COMM_WORLD);
    MPI_Recv(theirs, 8, MPI_DOUBLE, rank + 1, TAG_BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  any_tag = argc > 1 && strcmp(argv[1], "hang") == 0;
  for (int step = 0; step < STEPS; step++) {
    receive_history(step); /* LAGGARD: here */
    send_history(step);
    swap();
  }
  MPI_Finalize();
  return 0;
}
