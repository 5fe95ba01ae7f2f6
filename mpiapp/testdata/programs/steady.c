/* Goes on for some seconds without anything new: what there is to see is seen
 * in the first rounds. Rank 0 says when they are over, and when it is done. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static double round_of(double x)
{
  double in = 0, sum = 0;
  MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 1, &in, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / size;
}

static void say(const char *what)
{
  if (rank == 0) {
    printf("%s\n", what);
    fflush(stdout);
  }
}

/* rounds goes on for that long by rank 0's clock. */
static double rounds(double x, double seconds)
{
  int more = 1;
  for (double begin = MPI_Wtime(); more;) {
    x = round_of(x);
    more = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return x;
}

int main(int argc, char **argv)
{
  double x = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 2; i++) {
    x = rounds(x, i ? atof(argv[1]) : 0.5);
    say(i ? "steady: end" : "steady: begin");
  }
  MPI_Finalize();
  return x != x;
}
