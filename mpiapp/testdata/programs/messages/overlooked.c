// np: 4
// says: MPI returned 1 error to rank 1 in MPI_Send in forward (overlooked.c:@1)
// not: once more
// says: MPI had returned an error to it in MPI_Send
// A pipeline asks MPI to return errors and does not look at them; one stage sends to a rank that there is not.
#include <mpi.h>
#include <string.h>

static void forward(const double *packet, int to)
{
  MPI_Send(packet, 8, MPI_DOUBLE, to, 9, MPI_COMM_WORLD); // LAGGARD: 1
}

static void stage(int rank, int size, int stride)
{
  double packet[8] = {0};
  if (rank > 0)
    MPI_Recv(packet, 8, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank + 1 < size)
    forward(packet, rank + stride);
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < 3; k++)
    stage(rank, size, hang && k == 1 && rank == 1 ? size : 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
