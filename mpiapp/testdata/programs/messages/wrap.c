// np: 5
// says: Rank 0 waits for message 1 from rank 4 with tag 3 on MPI_COMM_WORLD, which was not sent
// says: 1 message from rank 4 to itself with tag 3 on MPI_COMM_WORLD lies unreceived, sent with MPI_Isend in rotate (wrap.c:@1)
// Blocks of a matrix are rotated in a ring; the last rank does not wrap around and sends its block to itself.
#include <mpi.h>
#include <string.h>

static int successor(int rank, int size, int wraps)
{
  return rank + 1 < size ? rank + 1 : wraps ? 0 : rank;
}

static void rotate(double *block, int n, int to, int from)
{
  double next[16];
  MPI_Request r;
  MPI_Isend(block, n, MPI_DOUBLE, to, 3, MPI_COMM_WORLD, &r); // LAGGARD: 1
  MPI_Recv(next, n, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  memcpy(block, next, (size_t)n * sizeof *block);
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  double block[16] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < size; k++) {
    rotate(block, 16, successor(rank, size, !hang), (rank + size - 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
