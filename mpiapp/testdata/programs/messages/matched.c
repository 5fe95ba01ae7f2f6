// np: 3
// says: rank 1 has posted no matching receive; it has only matched the message with a probe
// says: rank 1 is in MPI_Recv
// A server looks what comes by a matched probe, and asks another rank for a buffer before it receives.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { REQUEST = 1, BUFFER = 2 };

static void serve(int asks)
{
  MPI_Message message;
  MPI_Status status;
  int n;
  MPI_Mprobe(0, REQUEST, MPI_COMM_WORLD, &message, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  if (asks)
    MPI_Recv(&n, 1, MPI_INT, 2, BUFFER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double *data = malloc((size_t)n * sizeof *data);
  MPI_Mrecv(data, n, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  free(data);
}

int main(int argc, char **argv)
{
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  double data[16] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    MPI_Ssend(data, 16, MPI_DOUBLE, 1, REQUEST, MPI_COMM_WORLD);
  if (rank == 1)
    serve(hang);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
