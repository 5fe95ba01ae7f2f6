// np: 4
// odd: 3
// kind: skipped
// call: MPI_Barrier 46
// made: MPI_Comm_dup 25
// branch: 44
// why: rank 3 has nothing to write, and frees the writer's communicator; where that does not wait, it is in MPI_Finalize

// A writer of results with a communicator of its own, as libraries have.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  MPI_Comm comm;
  int rank, size;
  double *rows;
  int count, written;
} writer_t;

static writer_t *writer_new(MPI_Comm comm, int count)
{
  writer_t *w = calloc(1, sizeof *w);
  MPI_Comm_dup(comm, &w->comm);
  MPI_Comm_rank(w->comm, &w->rank);
  MPI_Comm_size(w->comm, &w->size);
  w->count = count;
  w->rows = calloc(count ? count : 1, sizeof *w->rows);
  for (int i = 0; i < count; i++)
    w->rows[i] = w->rank + 0.5 * i;
  return w;
}

static void writer_step(writer_t *w)
{
  long here = w->count, all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_LONG, MPI_SUM, w->comm);
  w->written += all > 0;
}

static int writer_flush(writer_t *w)
{
  if (w->count == 0)
    return 0;
  MPI_Barrier(w->comm);
  double sum = 0;
  for (int i = 0; i < w->count; i++)
    sum += w->rows[i];
  return sum >= 0;
}

static void writer_free(writer_t *w)
{
  MPI_Comm_free(&w->comm);
  free(w->rows);
  free(w);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int empty = argc > 1 && !strcmp(argv[1], "hang") && rank == size - 1;
  writer_t *w = writer_new(MPI_COMM_WORLD, empty ? 0 : 8);
  for (int step = 0; step < 12; step++)
    writer_step(w);
  int good = writer_flush(w);
  writer_free(w);
  if (rank == 0)
    printf("%s\n", good ? "written" : "nothing");
  MPI_Finalize();
  return 0;
}
