/* Two halves of the job, joined by an intercommunicator: the left half sends
 * to its partners on the right, and the right half broadcasts back. With "hang"
 * the rank 6 of the world, in the right half, never digests what it got. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 6

static int hang, rank, size;

static int digest(int x, int round)
{
  int limit = hang && rank == VICTIM && round == 3 ? -1 : 7; /* LAGGARD: cause */
  while (x % 10 > limit || x % 10 == 9) /* LAGGARD: loop begin */
    x = (x + 3) % 100000;               /* LAGGARD: loop end */
  return x;
}

static int left_half(MPI_Comm inter, int place, int round)
{
  int x = 10 * round + place, back;
  MPI_Send(&x, 1, MPI_INT, place, round, inter);
  MPI_Bcast(&back, 1, MPI_INT, 0, inter);
  return back;
}

static void right_half(MPI_Comm inter, MPI_Comm half, int place, int round)
{
  int x, sum;
  MPI_Recv(&x, 1, MPI_INT, place, round, inter, MPI_STATUS_IGNORE);
  x = digest(x, round);
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, half);
  MPI_Bcast(&sum, 1, MPI_INT, place == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
}

int main(int argc, char **argv)
{
  MPI_Comm half, inter;
  int place, total = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int right = rank >= size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, right, rank, &half);
  MPI_Comm_rank(half, &place);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, right ? 0 : size / 2, 77, &inter);
  for (int round = 0; round < 5; round++) {
    if (right)
      right_half(inter, half, place, round);
    else
      total += left_half(inter, place, round);
  }
  if (rank == 0)
    printf("total %d\n", total);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
