// np: 5
// named: 0,1,2,3,4
// cycle: -
// most: 0.10
// differs: flush
// All ranks wait for a request that the program itself completes, of which MPI tells
// nothing. Ranks 3 and 4 never came through flush, which all are meant to come through.
#include <mpi.h>
#include <string.h>

struct queue {
  MPI_Comm comm;
  MPI_Request done;
  int rank, open;
};

static int query(void *q, MPI_Status *s)
{
  (void)q;
  MPI_Status_set_elements(s, MPI_BYTE, 0);
  MPI_Status_set_cancelled(s, 0);
  s->MPI_SOURCE = s->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int nothing(void *q) { (void)q; return MPI_SUCCESS; }

static int cancel(void *q, int complete) { (void)q; (void)complete; return MPI_SUCCESS; }

static void await(struct queue *q)
{
  MPI_Wait(&q->done, MPI_STATUS_IGNORE); // LAGGARD: here
}

static void flush(struct queue *q, int to, int from)
{
  int x = q->rank, y;
  MPI_Sendrecv(&x, 1, MPI_INT, to, 8, &y, 1, MPI_INT, from, 8, q->comm, MPI_STATUS_IGNORE);
}

static void round_trip(struct queue *q, int hang, int flushes)
{
  MPI_Grequest_start(query, nothing, cancel, q, &q->done);
  if (flushes)
    flush(q, (q->rank + 1) % 3, (q->rank + 2) % 3);
  if (!hang)
    MPI_Grequest_complete(q->done);
  await(q);
}

int main(int argc, char **argv)
{
  struct queue q;
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &q.comm);
  MPI_Comm_rank(q.comm, &q.rank);
  for (int step = 0; step < 6; step++) {
    round_trip(&q, hang && step == 5, q.rank < 3 && step == 2);
    if (!hang || step < 5)
      MPI_Barrier(q.comm);
  }
  MPI_Comm_free(&q.comm);
  MPI_Finalize();
  return 0;
}
