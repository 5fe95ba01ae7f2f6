// np: 2
// says: ranks 0-1 wait for each other
// says: may have gone to MPI_Irecv with any source and tag (listener.c:@1), which is not complete
// says: rank 0 is in MPI_Recv from rank 1 with tag 7 on MPI_COMM_WORLD (message 1); rank 1 has sent 1 such message; MPI_Irecv with any source and tag (listener.c:@1) may have taken it
// not: nothing is missing
// not: what blocks it is unknown
// Each rank listens for a message of control; with any tag, the receive for it takes the data.
#include <mpi.h>
#include <string.h>

enum { control_tag = 2, data_tag = 7 };

int main(int argc, char **argv)
{
  int rank, control, data, out = 1;
  MPI_Request listen;
  MPI_Init(&argc, &argv);
  int tag = argc > 1 && strcmp(argv[1], "hang") == 0 ? MPI_ANY_TAG : control_tag;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(&control, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &listen); // LAGGARD: 1
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, 1 - rank, data_tag, MPI_COMM_WORLD);
  MPI_Recv(&data, 1, MPI_INT, 1 - rank, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&out, 1, MPI_INT, 1 - rank, control_tag, MPI_COMM_WORLD);
  MPI_Wait(&listen, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
