/* Every rank but 2 overlaps a receive with work and looks in on it with
 * MPI_Test. With "hang" rank 2 waits for a lock that nobody gives back before
 * it sends, so that all the others test for ever. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 2

static atomic_int lock;

static void take_lock(void)
{
  int free_value = 0;
  while (!atomic_compare_exchange_weak(&lock, &free_value, 1)) /* LAGGARD: loop begin */
    free_value = 0;                                            /* LAGGARD: loop end */
}

static double overlap(double *in, int from, int tag)
{
  MPI_Request r;
  double work = 0;
  int done = 0;
  MPI_Irecv(in, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &r);
  while (!done) {
    work = 0.5 * work + 1;
    MPI_Test(&r, &done, MPI_STATUS_IGNORE);
  }
  return work > 0 ? *in : 0;
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  double x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 5; round++) {
    if (rank != VICTIM) {
      x += overlap(&x, VICTIM, round);
    } else {
      take_lock();
      if (!(hang && round == 2))
        atomic_store(&lock, 0);
      for (int to = 0; to < size; to++)
        if (to != rank)
          MPI_Send(&(double){round}, 1, MPI_DOUBLE, to, round, MPI_COMM_WORLD);
    }
  }
  if (rank == 0)
    printf("x %.3f\n", x);
  MPI_Finalize();
  return 0;
}
