// np: 4
// odd: 3
// kind: skipped
// call: MPI_Allreduce 21
// branch: 44,45
// A rank with nothing to write skips the collective write and is in the close.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct dataset {
  MPI_Comm comm;
  long rows, total;
};

/* write_rows needs everybody, also those who have no rows. */
static void write_rows(struct dataset *d, long n)
{
  long sum;
  d->rows += n;
  MPI_Allreduce(&n, &sum, 1, MPI_LONG, MPI_SUM, d->comm);
  d->total += sum;
}

static void close_dataset(struct dataset *d)
{
  MPI_Barrier(d->comm);
  d->rows = 0;
}

int main(int argc, char **argv)
{
  struct dataset d = {MPI_COMM_NULL, 0, 0};
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &d.comm);
  int version = 3;
  MPI_Bcast(&version, 1, MPI_INT, 0, d.comm);
  for (int step = 0; step < 40; step++) {
    long n = 5;

    if (hang && step == 37 && rank == size - 1) n = 0;
    if (n > 0)
      write_rows(&d, n);
    close_dataset(&d);
  }
  MPI_Comm_free(&d.comm);
  MPI_Finalize();
  return 0;
}
