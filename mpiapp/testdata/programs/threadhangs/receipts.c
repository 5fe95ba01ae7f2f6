// np: 3
// named: 2
// says: condition
// A writer's thread stores records in batches and acknowledges them. The end of the records is noted without a signal, so that the
// thread sleeps while main joins it, and the last records are never acknowledged.
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { RECORD = 1, RECEIPT = 2, EACH = 5, BATCH = 4 };

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  int from[2 * EACH], put, taken;
  bool closed, signals_end;
} records_t;

static int take_batch(records_t *r, int *from)
{
  int n = 0;
  pthread_mutex_lock(&r->mutex);
  while (r->put - r->taken < BATCH && !r->closed)
    pthread_cond_wait(&r->filled, &r->mutex);
  while (n < BATCH && r->taken < r->put)
    from[n++] = r->from[r->taken++];
  pthread_mutex_unlock(&r->mutex);
  return n;
}

static void *store_batches(void *argument)
{
  records_t *r = argument;
  int from[BATCH], n;
  while ((n = take_batch(r, from)) > 0)
    for (int i = 0; i < n; i++)
      MPI_Send(NULL, 0, MPI_INT, from[i], RECEIPT, MPI_COMM_WORLD);
  return NULL;
}

static void close_records(records_t *r)
{
  pthread_mutex_lock(&r->mutex);
  r->closed = true;
  if (r->signals_end)
    pthread_cond_signal(&r->filled);
  pthread_mutex_unlock(&r->mutex);
}

static void write_records(bool signals_end)
{
  records_t r = {.mutex = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .signals_end = signals_end};
  pthread_t thread;
  pthread_create(&thread, NULL, store_batches, &r);
  for (int i = 0; i < 2 * EACH; i++) {
    double value;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, RECORD, MPI_COMM_WORLD, &status);
    pthread_mutex_lock(&r.mutex);
    r.from[r.put++] = status.MPI_SOURCE;
    if (r.put - r.taken == BATCH)
      pthread_cond_signal(&r.filled);
    pthread_mutex_unlock(&r.mutex);
  }
  while (!signals_end) { /* the thread comes to its wait before the end is noted */
    pthread_mutex_lock(&r.mutex);
    int left = r.put - r.taken;
    pthread_mutex_unlock(&r.mutex);
    if (left < BATCH)
      break;
  }
  if (!signals_end)
    nanosleep(&(struct timespec){0, 300000000}, NULL);
  close_records(&r);
  pthread_join(thread, NULL);
}

static void deliver_records(int rank, int writer)
{
  for (int i = 0; i < EACH; i++) {
    double value = rank + i;
    MPI_Send(&value, 1, MPI_DOUBLE, writer, RECORD, MPI_COMM_WORLD);
  }
  for (int i = 0; i < EACH; i++)
    MPI_Recv(NULL, 0, MPI_INT, writer, RECEIPT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, size, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == size - 1)
    write_records(argc < 2 || strcmp(argv[1], "hang") != 0);
  else
    deliver_records(rank, size - 1);
  MPI_Finalize();
}
