// np: 2
// says: message 1 from rank 0 to rank 1 with tag 7 went to MPI_Irecv with any source (drained.c:@1)
// not: nothing is missing
// not: what blocks it is unknown
// A receive from any source, posted first and waited for first, takes the message that one from a certain rank was meant for. That one
// counts as the first of its channel, as it was posted before anybody knew what the other took.
#include <mpi.h>
#include <string.h>

enum { data_tag = 7, other_tag = 8 };

int main(int argc, char **argv)
{
  int rank, first = 0, second = 0, out = 1;
  MPI_Request early, named;
  MPI_Init(&argc, &argv);
  int tag = argc > 1 && strcmp(argv[1], "hang") == 0 ? data_tag : other_tag;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &early); // LAGGARD: 1
    MPI_Irecv(&second, 1, MPI_INT, 0, data_tag, MPI_COMM_WORLD, &named);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(&out, 1, MPI_INT, 1, data_tag, MPI_COMM_WORLD);
    if (tag == other_tag)
      MPI_Send(&out, 1, MPI_INT, 1, other_tag, MPI_COMM_WORLD);
  } else {
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    MPI_Wait(&named, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
