// np: 4
// says: rank 0 waits for 3 messages from any source with tag 7 on MPI_COMM_WORLD, and only 2 came, from ranks 1-2, but none from rank 3
// not: what blocks it is unknown
// not: nothing is missing
// A master collects the results of all workers in any order. One that has found nothing sends none.
#include <mpi.h>
#include <string.h>

enum { most = 64, result_tag = 7 };

static void collect(int workers)
{
  int in[most];
  MPI_Request r[most];
  for (int i = 0; i < workers; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &r[i]);
  MPI_Waitall(workers, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 4; step++) {
    int found = hang && step == 3 && rank == 3 ? 0 : rank;
    if (rank == 0)
      collect(size - 1);
    else if (found)
      MPI_Send(&found, 1, MPI_INT, 0, result_tag, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
