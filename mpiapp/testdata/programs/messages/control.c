// np: 4
// says: Rank 2 is least progressed, of 4 ranks (confidence 0.70
// says: because: for the first time rank 2 went on without MPI_Isend (control.c:@1) to rank 3, which waits for the message
// not: unreceived
// Cells of a ring exchange what leaves them, and listen for messages of control from anybody. One has come for each and is not looked at
// yet, while a cell from which nothing leaves sends no message to the cell beside it.
#include <mpi.h>
#include <string.h>

enum { control_tag = 2, out_tag = 20, steps = 10 };

struct cell {
  int rank, right, left, frugal;
  int leaves;
};

static void hand_over(const struct cell *c, int side, int to, int from)
{
  MPI_Request sent = MPI_REQUEST_NULL;
  int n = side ? 1 : c->leaves, come;
  if (n > 0 || !c->frugal)
    MPI_Isend(&n, 1, MPI_INT, to, out_tag + side, MPI_COMM_WORLD, &sent); // LAGGARD: 1
  MPI_Recv(&come, 1, MPI_INT, from, out_tag + side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  struct cell c;
  int size, control, order = 1, total;
  MPI_Request listen;
  MPI_Init(&argc, &argv);
  c.frugal = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  c.right = (c.rank + 1) % size;
  c.left = (c.rank + size - 1) % size;
  MPI_Irecv(&control, 1, MPI_INT, MPI_ANY_SOURCE, control_tag, MPI_COMM_WORLD, &listen);
  MPI_Send(&order, 1, MPI_INT, c.right, control_tag, MPI_COMM_WORLD);
  for (int step = 0; step < steps; step++) {
    c.leaves = c.rank == size / 2 ? 8 - step : 20;
    hand_over(&c, 0, c.right, c.left);
    hand_over(&c, 1, c.left, c.right);
    if (step % 5 == 4)
      MPI_Allreduce(&c.leaves, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Wait(&listen, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
