/* A checkpoint on a slow file system: writes FILE BYTES. Rank 0 writes it with MPI-IO, in one call, and has it written out; the
 * others wait. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3)
    MPI_Abort(MPI_COMM_WORLD, 2);
  if (rank == 0) {
    int n = atoi(argv[2]);
    char *data = calloc(n, 1);
    MPI_File out;
    MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &out);
    MPI_File_write_at(out, 0, data, n, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_sync(out);
    MPI_File_close(&out);
    free(data);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    puts("done");
  MPI_Finalize();
  return 0;
}
