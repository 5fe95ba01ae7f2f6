/* With "hang" rank 7 loops for ever right after MPI_Init, in a loop that calls
 * nothing, before it has made any other call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VICTIM 7

static unsigned find_seed(unsigned start, unsigned mask)
{
  unsigned s = start;
  while ((s & mask) != mask) /* LAGGARD: loop begin */
    s = s * 1664525u + 2u;   /* LAGGARD: loop end */
  return s;
}

int main(int argc, char **argv)
{
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  const char *place = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  unsigned seed, sum;
  MPI_Init(&argc, &argv);
  /* Two is even, and so is every number that follows it. */
  seed = find_seed(2, hang && place && atoi(place) == VICTIM ? 1 : 6);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  seed += (unsigned)rank;
  MPI_Reduce(&seed, &sum, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %u\n", sum);
  MPI_Finalize();
  return 0;
}
