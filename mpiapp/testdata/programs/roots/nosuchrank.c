// np: 4
// named: 3
// cycle: -
// least: 0.90
// ends: yes
// says: MPI_Send
// A line of ranks; the last one takes itself for one in the middle and sends to a
// rank that does not exist. MPI ends the job.
#include <mpi.h>
#include <string.h>

struct line {
  MPI_Comm comm;
  int rank, size;
};

static void pass(const struct line *l, const int *value, int last)
{
  if (l->rank < last)
    MPI_Send(value, 1, MPI_INT, l->rank + 1, 3, l->comm); // LAGGARD: here
}

static void get(const struct line *l, int *value)
{
  if (l->rank > 0)
    MPI_Recv(value, 1, MPI_INT, l->rank - 1, 3, l->comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  struct line l;
  int value = 0, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &l.comm);
  MPI_Comm_rank(l.comm, &l.rank);
  MPI_Comm_size(l.comm, &l.size);
  for (int step = 0; step < 8; step++) {
    get(&l, &value);
    pass(&l, &value, hang && step == 5 ? l.size : l.size - 1);
    MPI_Barrier(l.comm);
  }
  MPI_Comm_free(&l.comm);
  MPI_Finalize();
  return 0;
}
