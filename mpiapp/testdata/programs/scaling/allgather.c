/* Gathers blocks from all to all, as the synthetic program of the paper on Vrisha
 * (§6.1) does: which algorithm the library takes is decided from outside.
 * Usage: allgather ROUNDS BYTES, the bytes being those of a block. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void gather(const char *block, char *all, int bytes)
{
  MPI_Allgather(block, bytes, MPI_CHAR, all, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void shift(char *block, char *other, int bytes, int rank, int ranks)
{
  MPI_Sendrecv(block, bytes, MPI_CHAR, (rank + 1) % ranks, 0, other, bytes, MPI_CHAR, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 1 ? atoi(argv[1]) : 10, bytes = argc > 2 ? atoi(argv[2]) : 16384;
  char *block = malloc((size_t)bytes), *other = malloc((size_t)bytes), *all = malloc((size_t)bytes * (size_t)ranks);
  memset(block, rank, (size_t)bytes);
  for (int i = 0; i < rounds; i++) {
    gather(block, all, bytes);
    shift(block, other, bytes, rank, ranks);
    double sum = all[0], total;
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%d ranks, %d rounds of %d bytes\n", ranks, rounds, bytes);
  free(block);
  free(other);
  free(all);
  MPI_Barrier(MPI_COMM_WORLD); /* MPICH 4.0 over TCP hangs in MPI_Finalize if ranks come late */
  MPI_Finalize();
  return 0;
}
