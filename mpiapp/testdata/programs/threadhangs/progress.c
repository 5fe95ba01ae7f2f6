// np: 3
// named: 1
// says: mutex
// The progress thread of rank 1 receives (LAGGARD: here) while it holds the queue's mutex. Main waits for
// the mutex to post the work that makes rank 0 answer: the mutex's holder waits for rank 0,
// rank 0 for main of rank 1, main for the holder.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WORK = 1, RESULT = 2, STEPS = 12 };

struct queue {
  pthread_mutex_t mutex;
  double done[STEPS];
  int filled;
};

static struct queue queue = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static int rank, hang;

static void take_result(struct queue *q)
{
  double value;
  if (hang && q->filled == 7) {
    /* the mutex is still held, since the last result */
    MPI_Recv(&value, 1, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
  } else {
    MPI_Recv(&value, 1, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_lock(&q->mutex);
  }
  q->done[q->filled++] = value;
  if (!hang || q->filled != 7) pthread_mutex_unlock(&q->mutex);
}

static void *progress(void *q)
{
  for (int i = 0; i < STEPS; i++)
    take_result(q);
  return NULL;
}

static int count_done(struct queue *q)
{
  int n;
  pthread_mutex_lock(&q->mutex); /* LAGGARD: here */
  n = q->filled;
  pthread_mutex_unlock(&q->mutex);
  return n;
}

static void post(struct queue *q)
{
  for (int i = 0; i < STEPS; i++) {
    double x = i;
    while (count_done(q) < i)
      ;
    MPI_Send(&x, 1, MPI_DOUBLE, 0, WORK, MPI_COMM_WORLD);
  }
}

static void serve(void)
{
  for (int i = 0; i < STEPS; i++) {
    double x;
    MPI_Recv(&x, 1, MPI_DOUBLE, 1, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    x *= x;
    MPI_Send(&x, 1, MPI_DOUBLE, 1, RESULT, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv)
{
  int provided;
  pthread_t helper;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    pthread_create(&helper, NULL, progress, &queue);
    post(&queue);
    pthread_join(helper, NULL);
  } else if (rank == 0) {
    serve();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1)
    printf("%d results, last %g\n", queue.filled, queue.done[STEPS - 1]);
  MPI_Finalize();
  return 0;
}
