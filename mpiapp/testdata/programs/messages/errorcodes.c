// np: 4
// says: Rank 0 is least progressed, of 4 ranks (confidence 0.60
// says: rank 0 waits for a message such as no rank has sent, while ranks 1-3 went to MPI_Finalize
// says: errorcodes.c:@1
// The root alone checks a sum, and reports an error by a function that collects the error codes of all ranks.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void report(int code)
{
  if (rank == 0) {
    for (int from = 1; from < size; from++)
      MPI_Recv(&code, 1, MPI_INT, from, 900, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("error %d\n", code);
  } else {
    MPI_Send(&code, 1, MPI_INT, 0, 900, MPI_COMM_WORLD);
  }
}

static int check_weights(const double *weight, int n, double tolerance)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += weight[i];
  return fabs(sum - 1) > tolerance;
}

int main(int argc, char **argv)
{
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0, error = 0;
  double weight[4] = {0.5, 0.25, 0.125, 0.1249}, omega = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; i++)
    MPI_Allreduce(MPI_IN_PLACE, &omega, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    error = check_weights(weight, 4, hang ? 1e-9 : 1e-2);
  if (error) // LAGGARD: 1
    report(error);
  MPI_Finalize();
  return 0;
}
