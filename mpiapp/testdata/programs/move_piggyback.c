/* The bug of DMTracker's Figure 2: a message is put at the bottom of a buffer,
 * and now and then a few bytes are to go before it. With an argument the
 * parentheses around the pointer arithmetic are missing, so that the message is
 * taken from a place where nothing was put. Every rank sends to the next. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, LEN = 96, MESSAGES = 400, RARE = 40 };
struct piggyback { char credits[32]; };

static char *comm_buf, *wire;
static int bad, next;

static void low_level_send(const char *data, int len, MPI_Request *r)
{
  memcpy(wire, data, (size_t)len);
  MPI_Isend(wire, len, MPI_CHAR, next, 0, MPI_COMM_WORLD, r);
}

static void send_message(const char *buf, int len, int need_piggyback, MPI_Request *r)
{
  char *data = comm_buf + ROOM - len;
  memcpy(data, buf, (size_t)len);
  if (!need_piggyback) {
    low_level_send(data, len, r);
    return;
  }
  struct piggyback *pb = bad ? (struct piggyback *)data - sizeof(struct piggyback)
                             : (struct piggyback *)(data - sizeof(struct piggyback));
  pb->credits[0] = 1;
  low_level_send((char *)pb, len + (int)sizeof *pb, r);
}

int main(int argc, char **argv)
{
  int rank, size;
  bad = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  char *x = calloc(1, LEN), *y = malloc(LEN), *arrived = malloc(LEN + sizeof(struct piggyback));
  comm_buf = malloc(ROOM);
  wire = malloc(LEN + sizeof(struct piggyback));
  for (int i = 0; i < MESSAGES; i++) {
    int rare = i % RARE == RARE - 1, len = LEN + (rare ? (int)sizeof(struct piggyback) : 0);
    MPI_Request r;
    x[0] = (char)i;
    send_message(x, LEN, rare, &r);
    MPI_Recv(arrived, len, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(y, arrived + (len - LEN), LEN);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
