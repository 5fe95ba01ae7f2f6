/* Many call sites, of which one sends a hundredth of the bytes; from 16 ranks on
 * it sends a fifth more than it should, unless HEALTHY is set.
 * Usage: percent ROUNDS BYTES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static char *out, *in;

static void ring(int bytes, int tag)
{
  MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % ranks, tag, in, bytes, MPI_CHAR, (rank + ranks - 1) % ranks, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void faces(int bytes) { ring(bytes, 1); }
static void edges(int bytes) { ring(bytes / 2, 2); }
static void corners(int bytes)
{
  int part = bytes / 60; /* about a hundredth of all */
  if (ranks >= 16 && !getenv("HEALTHY"))
    part += part / 5;
  ring(part, 3);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 1 ? atoi(argv[1]) : 20, bytes = argc > 2 ? atoi(argv[2]) : 60000;
  out = calloc(1, (size_t)bytes);
  in = calloc(1, (size_t)bytes);
  double residual = 1, all;
  for (int i = 0; i < rounds; i++) {
    faces(bytes);
    edges(bytes);
    corners(bytes);
    MPI_Allreduce(&residual, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i % 5 == 0)
      MPI_Bcast(out, bytes / 10, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%d ranks, %d rounds of %d bytes\n", ranks, rounds, bytes);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
