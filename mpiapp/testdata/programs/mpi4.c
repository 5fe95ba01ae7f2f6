/* What MPI-4 has brought: persistent collectives ("coll"), partitioned messages
 * of which the receiver polls one part ("parts"), and messages exchanged by one
 * request ("exchange"). Rank 3 is lost in the third step. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 3

static int rank, size;

static int sift(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (17 * x + 6) % 131;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static void meet(MPI_Request *r, int *x)
{
  if (*r == MPI_REQUEST_NULL)
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, r);
  MPI_Start(r);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  (void)x;
}

static void in_parts(MPI_Request r[2], int *x)
{
  static int out[2], in[2];
  int there = 0;
  if (r[0] == MPI_REQUEST_NULL) {
    MPI_Psend_init(out, 2, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, 2, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  }
  out[0] = out[1] = *x;
  MPI_Startall(2, r);
  MPI_Pready(0, r[0]);
  MPI_Pready(1, r[0]);
  while (!there)
    MPI_Parrived(r[1], 1, &there);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  *x = in[1];
}

static void swap(int *x)
{
  int out = *x;
  MPI_Request r;
  MPI_Isendrecv(&out, 1, MPI_INT, (rank + 1) % size, 5, x, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int hang = strcmp(mode, "ok") != 0, x, sum = 0;
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  x = rank;
  for (int step = 0; step < 5; step++) {
    x = sift(x, hang && rank == VICTIM && step == 2 ? -1 : 30);
    if (strcmp(mode, "coll") == 0)
      meet(&r[0], &x);
    else if (strcmp(mode, "parts") == 0)
      in_parts(r, &x);
    else
      swap(&x);
  }
  MPI_Reduce(&x, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
