/* The work is done and all ranks but one are in MPI_Finalize. With "hang" rank
 * 2 is still writing its summary, and never ends. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 2

static unsigned checksum(const unsigned char *p, int n, int step)
{
  unsigned a = 1;
  for (int i = 0; i < n; i += step) /* LAGGARD: loop begin */
    a = a * 31 + p[i];              /* LAGGARD: loop end */
  return a;
}

int main(int argc, char **argv)
{
  unsigned char data[256], all[256];
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 256; i++)
    data[i] = (unsigned char)(i * rank);
  MPI_Allreduce(data, all, 256, MPI_UNSIGNED_CHAR, MPI_BXOR, MPI_COMM_WORLD);
  unsigned sum = checksum(all, 256, hang && rank == VICTIM ? 0 : 1);
  if (rank == VICTIM)
    printf("checksum %08x\n", sum);
  MPI_Finalize();
  return 0;
}
