/* Iterations of 20 ms with an MPI_Allreduce, as many as the second argument says. "crash": rank 1 dies in the 20th; "hangs": it
 * waits there for a message that nobody sends; "ok": neither. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void go_wrong(const char *how)
{
  int none;
  if (strcmp(how, "crash") == 0)
    raise(SIGSEGV);
  if (strcmp(how, "hangs") == 0)
    MPI_Recv(&none, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, sum = 1, iterations = argc > 2 ? atoi(argv[2]) : 50;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < iterations; i++) {
    if (i == 20 && rank == 1)
      go_wrong(argv[1]);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    usleep(20000);
  }
  MPI_Finalize();
  return 0;
}
