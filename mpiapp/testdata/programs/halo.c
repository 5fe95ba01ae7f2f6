/* Halo exchange of a strip with Irecv, Isend and Waitall. With "hang" rank 6
 * never ends its stencil; with "freeze" it is stopped like a process that the
 * kernel does not let go on, just behind the exchange. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CELLS 100
#define STEPS 12
#define VICTIM 6

static int rank, size;
static const char *mode;

static void exchange(double *u)
{
  MPI_Request r[4];
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE); /* LAGGARD: last call */
}

static void stencil(double *u, int step)
{
  int substeps = 3, faulty = rank == VICTIM && step == 8;
  for (int k = 0; k < substeps; k++) { /* LAGGARD: loop begin */
    double last = u[0];
    for (int i = 1; i <= CELLS; i++) {
      double here = u[i];
      u[i] = (last + here + u[i + 1]) / 3;
      last = here;
    }
    if (faulty && strcmp(mode, "hang") == 0)
      k = 0;
  } /* LAGGARD: loop end */
  if (faulty && strcmp(mode, "freeze") == 0)
    raise(SIGSTOP);
}

int main(int argc, char **argv)
{
  double u[CELLS + 2] = {0}, sum = 0;
  mode = argc > 1 ? argv[1] : "ok";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  u[1] = rank;
  for (int step = 0; step < STEPS; step++) {
    exchange(u);
    stencil(u, step);
  }
  MPI_Reduce(&u[1], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %.9f\n", sum);
  MPI_Finalize();
  return 0;
}
