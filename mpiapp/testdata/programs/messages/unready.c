// np: 4
// says: MPI returned 1 error to rank 2 in MPI_Allgather in share (unready.c:@1)
// says: rank 2 skipped MPI_Allgather
// A rank gives a datatype that was never committed, and does not look at the error: it comes to the next collective instead.
#include <mpi.h>
#include <string.h>

static void share(const double *mine, double *all, MPI_Datatype type)
{
  MPI_Allgather(mine, 1, type, all, 1, type, MPI_COMM_WORLD); // LAGGARD: 1
}

int main(int argc, char **argv)
{
  double mine[4] = {0}, all[16];
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Datatype row, bare;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(4, MPI_DOUBLE, &row);
  MPI_Type_contiguous(4, MPI_DOUBLE, &bare);
  MPI_Type_commit(&row);
  for (int step = 0; step < 6; step++) {
    share(mine, all, hang && rank == 2 && step == 4 ? bare : row);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
