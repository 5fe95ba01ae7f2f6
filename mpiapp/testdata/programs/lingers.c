/* Rank 1 waits in a handler of exit, behind MPI_Finalize, for a thread that never ends. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t worker;

static void *work(void *unused)
{
  for (;;)
    pause();
  return unused;
}

static void stop_pool(void)
{
  pthread_join(worker, NULL);
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    pthread_create(&worker, NULL, work, NULL);
    atexit(stop_pool);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
