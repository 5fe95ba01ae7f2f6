/* Four threads of every rank exchange messages with the same thread of the other
 * ranks, each with a tag of its own, 300 times. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TIMES = 300 };

static int rank, size;

static void *exchange(void *arg)
{
  int tag = (int)(long)arg, out = tag, in;
  for (int i = 0; i < TIMES; i++) {
    MPI_Request q;
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &q);
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (in != tag)
      abort();
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t t[THREADS];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (long i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, exchange, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], NULL);
  MPI_Finalize();
  return 0;
}
