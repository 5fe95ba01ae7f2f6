// np: 4
// says: Ranks 0-1 are least progressed, of 4 ranks
// says: rank 0 is in MPI_Wait for 
// says: from rank 1 with tag 7 on MPI_COMM_WORLD
// A shift to the left along a line of ranks, of which the first has no left neighbour; rank 1 leaves it out.
#include <mpi.h>
#include <string.h>

#if MPI_VERSION < 4
static int shift(const int *out, int left, int *in, int right, MPI_Request *request)
{
  MPI_Send(out, 1, MPI_INT, left, 7, MPI_COMM_WORLD);
  return MPI_Irecv(in, 1, MPI_INT, right, 7, MPI_COMM_WORLD, request);
}
#else
static int shift(const int *out, int left, int *in, int right, MPI_Request *request)
{
  return MPI_Isendrecv(out, 1, MPI_INT, left, 7, in, 1, MPI_INT, right, 7, MPI_COMM_WORLD, request);
}
#endif

int main(int argc, char **argv)
{
  int rank, size, out = 1, in;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  if (!hang || rank != 1) {
    shift(&out, left, &in, right, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
