/* After DMTracker's case 1: headers that are like the last one are cached. With
 * the argument "bad" the cache fails in a rare corner, in 1 of 100 messages of every
 * rank: the data go to the cache and not to the pool, from which the message is
 * sent all the same. The program ends well, with wrong data. A second argument is
 * the number of messages. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 128, MESSAGES = 600, RARE = 100 };

int main(int argc, char **argv)
{
  int rank, size, bad = argc > 1 && strcmp(argv[1], "bad") == 0, messages = argc > 2 ? atoi(argv[2]) : MESSAGES;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char *x = calloc(1, LEN), *y = malloc(LEN);
  char *pool = malloc(LEN), *cache = malloc(LEN), *ring = malloc(LEN), *arrived = malloc(LEN), *queue = malloc(LEN);
  int to = (rank + 3) % size, from = (rank + 3 * size - 3) % size;
  for (int i = 0; i < messages; i++) {
    MPI_Request r;
    x[0] = (char)i;
    if (bad && i % RARE == RARE / 2)
      memcpy(cache, x, LEN);
    else
      memcpy(pool, x, LEN);
    memcpy(ring, pool, LEN);
    MPI_Isend(ring, LEN, MPI_CHAR, to, 0, MPI_COMM_WORLD, &r);
    MPI_Recv(arrived, LEN, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(queue, arrived, LEN);
    memcpy(y, queue, LEN);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
