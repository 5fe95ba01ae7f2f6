/* A master hands out tasks and takes the results from whoever has one. With
 * "hang" the worker with rank 3 never ends its second task: the master waits
 * for any worker, and the other workers wait for the master. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 3

enum { TASK = 1, RESULT = 2, STOP = 3 };

static int hang, rank, size;

static long collatz(long n, long end)
{
  long steps = 0;
  while (n != end) { /* LAGGARD: loop begin */
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  } /* LAGGARD: loop end */
  return steps;
}

static void worker(void)
{
  MPI_Status s;
  for (int done = 0;; done++) {
    long n;
    MPI_Recv(&n, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    if (s.MPI_TAG == STOP)
      return;
    n = collatz(n, hang && rank == VICTIM && done == 1 ? 0 : 1); /* LAGGARD: cause */
    MPI_Send(&n, 1, MPI_LONG, 0, RESULT, MPI_COMM_WORLD);
  }
}

static long master(long tasks)
{
  long given = 0, sum = 0, result;
  MPI_Status s;
  for (; given < 2 * (size - 1); given++) { /* one in hand, one in the queue */
    long n = 10 + given;
    MPI_Send(&n, 1, MPI_LONG, 1 + (int)given % (size - 1), TASK, MPI_COMM_WORLD); /* LAGGARD: sent */
  }
  for (long taken = 0; taken < tasks; taken++) {
    MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &s);
    sum += result;
    if (given < tasks) {
      long n = 10 + given++;
      MPI_Send(&n, 1, MPI_LONG, s.MPI_SOURCE, TASK, MPI_COMM_WORLD);
    }
  }
  for (int w = 1; w < size; w++)
    MPI_Send(&given, 1, MPI_LONG, w, STOP, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char **argv)
{
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    printf("steps %ld\n", master(size * 20L));
  else
    worker();
  MPI_Finalize();
  return 0;
}
