// np: 4
// says: Rank 2 is least progressed, of 4 ranks (confidence 0.99
// says: ultimately awaited by ranks 0-1,3
// says: rank 2 has posted 4 matching receives
// not: which is not complete
// not: may match it
// Every rank has two receives of control messages posted all the time, one of any tag on a communicator of its own, and one on that of all.
// They have no part in the exchange of a ring, in which one rank comes to compute for ever.
#include <mpi.h>
#include <string.h>

enum { control_tag = 2, data_tag = 7, steps = 6 };

static volatile int spin;

static void pass(int rank, int size)
{
  int out = rank, in;
  if (rank % 2 == 0) {
    MPI_Ssend(&out, 1, MPI_INT, (rank + 1) % size, data_tag, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, (rank + size - 1) % size, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&in, 1, MPI_INT, (rank + size - 1) % size, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(&out, 1, MPI_INT, (rank + 1) % size, data_tag, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0, orders[2], had;
  MPI_Comm control;
  MPI_Request listen[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  MPI_Recv_init(&orders[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, control, &listen[0]);
  MPI_Start(&listen[0]);
  MPI_Irecv(&orders[1], 1, MPI_INT, MPI_ANY_SOURCE, control_tag, MPI_COMM_WORLD, &listen[1]);
  for (int step = 0; step < steps; step++) {
    spin = hang && rank == 2 && step == 4;
    while (spin)
      ;
    MPI_Test(&listen[0], &had, MPI_STATUS_IGNORE);
    pass(rank, size);
  }
  for (int i = 0; i < 2; i++) {
    MPI_Cancel(&listen[i]);
    MPI_Wait(&listen[i], MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&listen[0]);
  MPI_Comm_free(&control);
  MPI_Finalize();
  return 0;
}
