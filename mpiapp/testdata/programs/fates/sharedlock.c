/* Ranks share a mutex in memory of a window. Rank 0 has it and waits for a message of rank 1, which waits for the mutex. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

int main(int argc, char **argv)
{
  int rank, unit, got = 0;
  MPI_Win win;
  MPI_Aint size;
  void *memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_shared_query(win, 0, &size, &unit, &memory);
  pthread_mutex_t *lock = memory;
  if (rank == 0) {
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(lock, &shared);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "hang") == 0) {
    if (rank == 0) {
      pthread_mutex_lock(lock);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Recv(&got, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      pthread_mutex_unlock(lock);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      pthread_mutex_lock(lock); /* LAGGARD: here */
      pthread_mutex_unlock(lock);
      if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
