/* The even and the odd ranks make an intercommunicator, over and over. Lost
 * before the third is a rank that only has to join in ("member", rank 6), or
 * the leader of the odd ones ("leader", rank 1). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static int muster(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (11 * x + 2) % 113;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int x = 1, sum = 0, victim = strcmp(mode, "member") == 0 ? 6 : strcmp(mode, "leader") == 0 ? 1 : -1;
  MPI_Comm half, both;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int step = 0; step < 4; step++) {
    x = muster(x, rank == victim && step == 2 ? -1 : 30);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 17, &both);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, both);
    MPI_Comm_free(&both);
    x = sum;
  }
  MPI_Comm_free(&half);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
