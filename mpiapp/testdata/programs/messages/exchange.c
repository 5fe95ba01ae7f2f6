// np: 4
// says: ranks 0-3 wait for a message from any rank
// says: rank 0 waits for 4 messages from any source with tag 7 on MPI_COMM_WORLD, and only 3 came, from ranks 1-3
// not: nothing is missing
// An exchange with receives from any source: each rank knows how many messages come, and counts itself among those that send one.
#include <mpi.h>
#include <string.h>

enum { most = 64, exchange_tag = 7 };

static void exchange(int rank, int size, int expected)
{
  int in[most], out = rank;
  MPI_Request r[most];
  for (int i = 0; i < expected; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, exchange_tag, MPI_COMM_WORLD, &r[i]);
  for (int p = 0; p < size; p++)
    if (p != rank)
      MPI_Send(&out, 1, MPI_INT, p, exchange_tag, MPI_COMM_WORLD);
  MPI_Waitall(expected, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 4; step++)
    exchange(rank, size, argc > 1 && strcmp(argv[1], "hang") == 0 && step == 3 ? size : size - 1);
  MPI_Finalize();
  return 0;
}
