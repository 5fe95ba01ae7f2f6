/* Calls MPI without a pause, in several places and kinds, until it is killed. */
#include <mpi.h>

static int rank, size;

static void swap(int *x, int tag)
{
  MPI_Request r[2];
  int in;
  MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(x, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  *x = in + 1;
}

static void descend(int *x, int path, int depth)
{
  if (depth == 0)
    swap(x, path);
  else if (path >> (depth - 1) & 1)
    descend(x, path, depth - 1);
  else
    descend(x, path, depth - 1);
}

int main(int argc, char **argv)
{
  int x;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  x = rank;
  for (int i = 0;; i++) {
    descend(&x, i / 3 % 512, 9);
    if (i % 7 == 0)
      MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (i % 11 == 0)
      MPI_Barrier(MPI_COMM_WORLD);
  }
}
