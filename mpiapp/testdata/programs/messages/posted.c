// np: 2
// says: Rank 0 is least progressed
// says: rank 0 has posted MPI_Irecv with any source (posted.c:@1), which may match it
// not: no matching receive
// A rank has posted the receive of a message, from any source, and computes for ever before it waits for it.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { data_tag = 7 };

int main(int argc, char **argv)
{
  int rank, in, out = 1;
  volatile int spin;
  MPI_Request r;
  MPI_Init(&argc, &argv);
  spin = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, data_tag, MPI_COMM_WORLD, &r); // LAGGARD: 1
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    while (spin)
      ;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    usleep(500000); /* until the other is out of the barrier, where it would take the message */
    MPI_Ssend(&out, 1, MPI_INT, 0, data_tag, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
