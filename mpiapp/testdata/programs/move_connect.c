/* After DMTracker's case 2: to connect, a rank sends a request again and again
 * until a flag says that it was answered. With an argument, one rank reads the
 * flag only once, as a compiler may where it is not volatile, and resends for
 * ever; the others, who are connected, wait for it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* PATIENCE, some 60 ms: on a crowded machine the neighbour may not get its turn for
 * tens of milliseconds, and a good run resends nothing. */
enum { LEN = 64, STEPS = 60, PATIENCE = 250, REQUEST = 1, ANSWER = 2, DATA = 3 };

static char *packet, *answer, *asked;
static MPI_Request asking, answering;
static int next, previous, answered, asked_for;

static void post_packet(const char *what)
{
  memcpy(packet, what, LEN);
  MPI_Send(packet, LEN, MPI_CHAR, next, REQUEST, MPI_COMM_WORLD);
}

static void progress(void)
{
  int done;
  MPI_Test(&asking, &done, MPI_STATUS_IGNORE);
  if (done && !asked_for) {
    asked_for = 1;
    MPI_Send(asked, LEN, MPI_CHAR, previous, ANSWER, MPI_COMM_WORLD);
  }
  MPI_Test(&answering, &done, MPI_STATUS_IGNORE);
  answered |= done;
}

static void connect_next(const char *what, int once)
{
  int flag = answered;
  while (!flag) {
    post_packet(what);
    for (int i = 0; i < PATIENCE && (once || !answered); i++) {
      progress();
      usleep(200);
    }
    if (!once)
      flag = answered;
  }
  while (!asked_for)
    progress();
}

int main(int argc, char **argv)
{
  int rank, size, bad = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  char *hello = calloc(1, LEN), *x = calloc(1, LEN), *y = malloc(LEN), *out = malloc(LEN), *in = malloc(LEN);
  packet = malloc(LEN);
  answer = malloc(LEN);
  asked = malloc(LEN);
  for (int i = 0; i < STEPS; i++) {
    MPI_Request r;
    memcpy(out, x, LEN);
    MPI_Isend(out, LEN, MPI_CHAR, next, DATA, MPI_COMM_WORLD, &r);
    MPI_Recv(in, LEN, MPI_CHAR, previous, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(y, in, LEN);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(asked, LEN, MPI_CHAR, previous, REQUEST, MPI_COMM_WORLD, &asking);
  MPI_Irecv(answer, LEN, MPI_CHAR, next, ANSWER, MPI_COMM_WORLD, &answering);
  connect_next(hello, bad && rank == size * 2 / 3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
