// np: 4
// says: MPI returned 1 error to rank 0 in MPI_Send in give (uncommitted.c:@1)
// says: rank 1 waits for a message that rank 0 did not send; MPI had returned an error to it in MPI_Send (uncommitted.c:@1)
// not: what blocks it is unknown
// A row of a matrix is sent with a datatype that was never committed, and nobody looks at the error: the message is not sent.
#include <mpi.h>
#include <string.h>

static void give(const double *row, MPI_Datatype type)
{
  MPI_Send(row, 1, type, 1, 9, MPI_COMM_WORLD); // LAGGARD: 1
}

int main(int argc, char **argv)
{
  double matrix[16] = {0};
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Datatype row, bare;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(4, MPI_DOUBLE, &row);
  MPI_Type_contiguous(4, MPI_DOUBLE, &bare);
  MPI_Type_commit(&row);
  for (int k = 0; k < 2; k++) {
    if (rank == 0)
      give(matrix + 4 * k, hang && k == 1 ? bare : row);
    if (rank == 1)
      MPI_Recv(matrix + 4 * k, 4, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
