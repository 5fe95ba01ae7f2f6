/* A program that does nothing but communicate: an exchange of 1 KB with both
 * neighbours without blocking, and a sum of 8 bytes, again and again. */
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 1024 };

int main(int argc, char **argv)
{
  int rank, size;
  long times = argc > 1 ? atol(argv[1]) : 100000;
  static char out[2][BYTES], in[2][BYTES];
  double part = 1, whole;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (long i = 0; i < times; i++) {
    MPI_Request q[4];
    MPI_Irecv(in[0], BYTES, MPI_CHAR, left, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(in[1], BYTES, MPI_CHAR, right, 1, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(out[0], BYTES, MPI_CHAR, right, 0, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(out[1], BYTES, MPI_CHAR, left, 1, MPI_COMM_WORLD, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&part, &whole, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
