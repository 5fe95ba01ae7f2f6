/* Halos along a ring and across it: each rank exchanges with the next ones, and
 * with those two further on. From 16 ranks on the far neighbour is taken from a
 * table that is too short, and a wrong one gets the bytes; nothing else changes.
 * With HEALTHY set the table is long enough. Usage: neighbour ROUNDS BYTES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE 16

static int rank, ranks, bytes;
static char *out, *in;

static void exchange(int to, int from, int size, int tag)
{
  MPI_Sendrecv(out, size, MPI_CHAR, to, tag, in, size, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int far_step(void)
{
  static const int step[TABLE] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  if (getenv("HEALTHY") || ranks < TABLE)
    return step[ranks % TABLE];
  return ranks / TABLE; /* what stands behind the table */
}

static void near_halo(void)
{
  exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks, bytes, 1);
  exchange((rank + ranks - 1) % ranks, (rank + 1) % ranks, bytes, 2);
}

static void far_halo(void)
{
  int step = far_step();
  exchange((rank + step) % ranks, (rank + ranks - step) % ranks, bytes / 2, 3);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 1 ? atoi(argv[1]) : 20;
  bytes = argc > 2 ? atoi(argv[2]) : 8192;
  out = calloc(1, (size_t)bytes);
  in = calloc(1, (size_t)bytes);
  double residual = 1, all;
  for (int i = 0; i < rounds; i++) {
    near_halo();
    far_halo();
    MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%d ranks, %d rounds of %d bytes\n", ranks, rounds, bytes);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
