/* Two threads of each rank call MPI at once, each on a communicator of its own:
 * a ring of messages in one, reductions in the other. With "hang" the ring of
 * rank 3 stops in its computation while its reductions have ended. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VICTIM 3
#define ROUNDS 20

static int hang, rank, size;
static MPI_Comm for_ring, for_sums;

static int mix(int x, int round)
{
  int bits = hang && rank == VICTIM && round == 15 ? 64 : 12;
  while (bits > 0) { /* LAGGARD: loop begin */
    x = x * 3 % 4096;
    bits -= bits < 64;
  } /* LAGGARD: loop end */
  return x;
}

static void *ring(void *result)
{
  int x = rank;
  for (int round = 0; round < ROUNDS; round++) {
    x = mix(x, round);
    MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, for_ring, MPI_STATUS_IGNORE);
  }
  *(int *)result = x;
  return NULL;
}

static int sums(void)
{
  int total = 0;
  for (int round = 0; round < ROUNDS / 2; round++) {
    int x = rank + round;
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, for_sums);
    total += x;
  }
  return total;
}

int main(int argc, char **argv)
{
  int provided, total, x = 0;
  pthread_t other;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE)
    MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &for_ring);
  MPI_Comm_dup(MPI_COMM_WORLD, &for_sums);
  if (pthread_create(&other, NULL, ring, &x))
    MPI_Abort(MPI_COMM_WORLD, 8);
  total = sums();
  pthread_join(other, NULL);
  if (rank == 0)
    printf("total %d, x %d\n", total, x);
  MPI_Comm_free(&for_ring);
  MPI_Comm_free(&for_sums);
  MPI_Finalize();
  return 0;
}
