/* A master spawns two workers, deals the rows of a matrix out to them and adds
 * up their sums. With "hang" the master sends both blocks to worker 0: it
 * divides the wrong number by the size of a block.
 *
 * Truth: rank 1 of the 2 spawned processes waits at "worker waits" for its block from the
 * master, and the master (rank 0 of the first world) waits at "master waits" for
 * the sum of that rank. Neither can be released: a deadlock of the two. Worker 0
 * is not at fault: it has sent its sum and waits in MPI_Comm_disconnect. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define ROWS 8
#define COLUMNS 16
#define WORKERS 2
#define BLOCK (ROWS / WORKERS)

static void fill(double *a)
{
  for (int i = 0; i < ROWS * COLUMNS; i++)
    a[i] = i % 7;
}

static double collect(MPI_Comm workers)
{
  double total = 0, part;
  for (int w = 0; w < WORKERS; w++) {
    MPI_Recv(&part, 1, MPI_DOUBLE, w, 2, workers, MPI_STATUS_IGNORE); /* LAGGARD: master waits */
    total += part;
  }
  return total;
}

static void master(char *program, char *mode)
{
  MPI_Comm workers;
  double a[ROWS * COLUMNS];
  char *arguments[] = {mode, NULL};
  MPI_Comm_spawn(program, arguments, WORKERS, MPI_INFO_NULL, 0, MPI_COMM_SELF, &workers, MPI_ERRCODES_IGNORE); /* LAGGARD: spawn */
  fill(a);
  for (int row = 0; row < ROWS; row += BLOCK) {
    int worker = strcmp(mode, "hang") == 0 ? row / ROWS : row / BLOCK; /* LAGGARD: cause */
    MPI_Send(a + row * COLUMNS, BLOCK * COLUMNS, MPI_DOUBLE, worker, 1, workers);
  }
  printf("total %g\n", collect(workers));
  MPI_Comm_disconnect(&workers);
}

static void worker(MPI_Comm parent)
{
  double block[BLOCK * COLUMNS], sum = 0;
  MPI_Recv(block, BLOCK * COLUMNS, MPI_DOUBLE, 0, 1, parent, MPI_STATUS_IGNORE); /* LAGGARD: worker waits */
  for (int i = 0; i < BLOCK * COLUMNS; i++)
    sum += block[i];
  MPI_Send(&sum, 1, MPI_DOUBLE, 0, 2, parent);
  MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
  MPI_Comm parent;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL)
    master(argv[0], argc > 1 ? argv[1] : "ok");
  else
    worker(parent);
  MPI_Finalize();
  return 0;
}
