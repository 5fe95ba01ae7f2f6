// np: 3
// named: 1
// says: MPI_Recv
// One thread of rank 1 receives boundary values in a single construct, with a tag nobody sends
// (LAGGARD: here). The other threads wait at the end of the construct (a barrier of the team);
// ranks 0 and 2 wait in MPI_Allreduce.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 3, WIDTH = 90, STEPS = 10 };

static double row[WIDTH], edge;
static int rank, size, hang;

static int tag_of(int step)
{
  return hang && rank == 1 && step == 6 ? 100 + step : step;
}

static void receive_edge(int step)
{
  MPI_Recv(&edge, 1, MPI_DOUBLE, rank - 1, tag_of(step), MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here */
}

static void update(int step)
{
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp single
    {
      if (rank + 1 < size)
        MPI_Send(&row[WIDTH - 1], 1, MPI_DOUBLE, rank + 1, step, MPI_COMM_WORLD);
      if (rank > 0)
        receive_edge(step);
    }
#pragma omp for
    for (int i = 0; i < WIDTH; i++)
      row[i] = 0.9 * row[i] + 0.1 * edge;
  }
}

int main(int argc, char **argv)
{
  int provided;
  double sum = 0;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < STEPS; step++) {
    row[0] = rank;
    update(step);
    MPI_Allreduce(&row[WIDTH - 1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("sum %g\n", sum);
  MPI_Finalize();
  return 0;
}
