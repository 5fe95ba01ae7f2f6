/* One sender and two receivers, as in the paper's second bug (§6.2): the message
 * goes through a send path of ours in chunks, which counts in an int what is
 * left, and breaks at 2 GB. With HEALTHY set it counts in a long.
 * Usage: large MEGABYTES, on 3 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK (8 << 20)

static char *chunk; /* all chunks have the same content */

static void send_queued(const char *from, int bytes, int to)
{
  MPI_Send(from, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

/* The queue entry of a message says where its next chunk starts. */
static void send_large(long bytes, int to)
{
  static volatile long queue[(1l << 31) / 4096];
  int left = (int)bytes;
  if (getenv("HEALTHY")) {
    for (long rest = bytes; rest > 0; rest -= CHUNK)
      send_queued(chunk, rest < CHUNK ? (int)rest : CHUNK, to);
    return;
  }
  do {
    queue[left / 4096 - 1] = left; /* before the table, once left is negative */
    send_queued(chunk, left < CHUNK ? left : CHUNK, to);
    left -= CHUNK;
  } while (left > 0);
}

static void receive_large(long bytes)
{
  for (long rest = bytes; rest > 0; rest -= CHUNK)
    MPI_Recv(chunk, CHUNK, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, ok = 1, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long bytes = (argc > 1 ? atol(argv[1]) : 8) << 20;
  chunk = calloc(1, CHUNK);
  if (rank == 0) {
    send_large(bytes, 1);
    send_large(bytes, 2);
  } else {
    receive_large(bytes);
  }
  MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld bytes to each\n", bytes);
  free(chunk);
  MPI_Finalize();
  return 0;
}
