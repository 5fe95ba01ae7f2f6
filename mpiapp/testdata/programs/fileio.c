/* Collective output to one file: begun and waited for ("begun"), or in two
 * halves ("halves"). Rank 6 is lost before its third block. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 6

static int rank;

static int format(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (9 * x + 5) % 109;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static void put(MPI_File out, const int *block, int halves)
{
  MPI_Request r;
  if (halves) {
    MPI_File_write_all_begin(out, block, 4, MPI_INT);
    MPI_File_write_all_end(out, block, MPI_STATUS_IGNORE);
  } else {
    MPI_File_iwrite_all(out, block, 4, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int hang = strcmp(mode, "ok") != 0, block[4];
  MPI_Offset size;
  MPI_File out;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, "fileio.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &out);
  MPI_File_set_view(out, 1024 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int step = 0; step < 4; step++) {
    for (int i = 0; i < 4; i++)
      block[i] = format(step + i, hang && rank == VICTIM && step == 2 ? -1 : 10);
    put(out, block, strcmp(mode, "halves") == 0);
  }
  MPI_File_get_size(out, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s\n", size > 0 ? "written" : "empty");
  MPI_File_close(&out);
  MPI_Finalize();
  return 0;
}
