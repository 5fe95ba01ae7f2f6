/* Gathers blocks from all to all by itself, and chooses how by an estimate of
 * the work, an int that turns negative from 16 ranks on: the overflow of the
 * paper's example (§6.1), in an application. With HEALTHY set the estimate is a
 * long. Usage: product ROUNDS BYTES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT 131072 /* of a unit of work; 2^31 is reached with 16 ranks and 1024 units */

static int rank, ranks;

static int is_large(int units)
{
  if (getenv("HEALTHY"))
    return (long)units * ranks * WEIGHT >= (1l << 26);
  int work = (int)((unsigned)units * (unsigned)ranks * WEIGHT);
  return work >= 1 << 26;
}

/* Large: every block goes round the ring. */
static void by_ring(char *all, int bytes)
{
  int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int step = 0; step < ranks - 1; step++) {
    int out = (rank + ranks - step) % ranks, in = (rank + ranks - step - 1) % ranks;
    MPI_Sendrecv(all + (size_t)out * (size_t)bytes, bytes, MPI_CHAR, to, 1, all + (size_t)in * (size_t)bytes, bytes, MPI_CHAR, from, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Small: everybody sends to everybody else at once. */
static void at_once(char *all, int bytes)
{
  MPI_Request *r = malloc(sizeof *r * (size_t)(2 * ranks));
  int n = 0;
  for (int k = 0; k < ranks; k++) {
    if (k == rank)
      continue;
    MPI_Irecv(all + (size_t)k * (size_t)bytes, bytes, MPI_CHAR, k, 2, MPI_COMM_WORLD, &r[n++]);
    MPI_Isend(all + (size_t)rank * (size_t)bytes, bytes, MPI_CHAR, k, 2, MPI_COMM_WORLD, &r[n++]);
  }
  for (int k = 0; k < n; k++)
    MPI_Wait(&r[k], MPI_STATUS_IGNORE);
  free(r);
}

static void gather(char *all, int bytes, int units)
{
  if (is_large(units))
    by_ring(all, bytes);
  else
    at_once(all, bytes);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 1 ? atoi(argv[1]) : 10, bytes = argc > 2 ? atoi(argv[2]) : 8192;
  char *all = calloc((size_t)ranks, (size_t)bytes);
  double norm = 0, total;
  for (int i = 0; i < rounds; i++) {
    gather(all, bytes, 1024);
    MPI_Allreduce(&norm, &total, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Bcast(all, bytes / 4, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%d ranks, %d rounds of %d bytes\n", ranks, rounds, bytes);
  free(all);
  MPI_Finalize();
  return 0;
}
