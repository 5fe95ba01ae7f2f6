// np: 4
// odd: 2
// kind: skipped
// call: MPI_File_write_at_all 42
// branch: 40
// why: a rank without particles skips the write; gcc makes copies of the collectives for rank 0, which have the same lines

// Particles that leave a box, with snapshots.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  MPI_File file;
  long first, total;
  MPI_Offset base;
} snapshot_t;

static void snapshot_open(snapshot_t *s, const char *path, long count, int rank)
{
  long own = count;
  s->first = 0;
  MPI_Exscan(&own, &s->first, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    s->first = 0;
  MPI_Allreduce(&own, &s->total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &s->file);
  s->base = 0;
  if (rank == 0)
    MPI_File_write_at(s->file, 0, &s->total, 1, MPI_LONG, MPI_STATUS_IGNORE);
  s->base = sizeof(long);
}

static int write_positions(snapshot_t *s, const double *x, int count)
{
  MPI_Status status;
  int written;
  if (count == 0)
    return 0;
  MPI_File_write_at_all(s->file, s->base + s->first * (MPI_Offset)sizeof *x, x, count, MPI_DOUBLE, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &written);
  return written;
}

static long write_snapshot(const char *path, const double *x, int count, int rank)
{
  snapshot_t s;
  long own, all = 0;
  snapshot_open(&s, path, count, rank);
  own = write_positions(&s, x, count);
  MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_File_close(&s.file);
  return all;
}

int main(int argc, char **argv)
{
  int rank, hang = argc > 1 && !strcmp(argv[1], "hang"), count = 12;
  double x[12];
  char path[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    snprintf(path, sizeof path, "/tmp/copies-%d", getpid());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++)
    x[i] = rank + 0.1 * i;
  for (int step = 1; step <= 5; step++) {
    if (hang && rank == 2)
      count -= 4; /* they move to the right */
    write_snapshot(path, x, count, rank);
  }
  if (rank == 0)
    remove(path);
  MPI_Finalize();
}
