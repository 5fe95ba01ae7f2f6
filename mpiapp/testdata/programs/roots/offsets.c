// np: 3
// named: 0
// least: 0.90
// Each rank numbers its particles behind those of the lower ranks. Rank 0 halves its step until an error is small, which it
// never is (LAGGARD: loop begin). Rank 1 waits in MPI_Exscan, for the lower rank alone; rank 2 takes particles from rank 1 before it
// numbers its own, and rank 1 gives them away after that: these two do not block each other.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static double error_of(double step) { return step + 1e-3; }

static long settle(int hang)
{
  double limit = hang && rank == 0 ? 1e-6 : 1e-2, step = 1;
  volatile long moved = 0;
  while (error_of(step) > limit) { // LAGGARD: loop begin
    step /= 2;
    moved++;
  } // LAGGARD: loop end
  return 10 + moved;
}

static long take(long mine)
{
  long more = 0;
  if (rank == 2)
    MPI_Recv(&more, 1, MPI_LONG, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return mine + more;
}

static void give(long some)
{
  if (rank == 1)
    MPI_Send(&some, 1, MPI_LONG, 2, 7, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  long first, all = 0;
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 20; step++) {
    long mine = take(settle(hang && step == 12));
    first = 0;
    MPI_Exscan(&mine, &first, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    give(3);
    all += first + mine;
  }
  if (rank == size - 1)
    printf("numbered %ld\n", all);
  MPI_Finalize();
  return 0;
}
