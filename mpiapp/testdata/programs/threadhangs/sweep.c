// np: 3
// named: 1
// says: barrier
// Thread 2 of rank 1 leaves the sweeps early, as its own part has converged. The other threads wait
// in the barrier at the end of a sweep (LAGGARD: here), the other ranks in MPI_Allreduce.
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 3, CELLS = 300, SWEEPS = 20 };

static double cell[CELLS], change[THREADS];
static int rank, hang;

static double relax(int from, int to)
{
  double largest = 0;
  for (int i = from; i < to; i++) {
    double next = 0.5 * cell[i] + 0.25;
    largest = fmax(largest, fabs(next - cell[i]));
    cell[i] = next;
  }
  return largest;
}

static void sweeps(void)
{
  int me = omp_get_thread_num(), share = CELLS / omp_get_num_threads();
  for (int s = 0; s < SWEEPS; s++) {
    change[me] = relax(me * share, (me + 1) * share);
    if (hang && rank == 1 && me == 2 && change[me] < 1e-3)
      break;
#pragma omp barrier /* LAGGARD: here */
    if (me == 0 && s % 5 == 0)
      printf("rank %d sweep %d change %g\n", rank, s, change[me]);
  }
}

int main(int argc, char **argv)
{
  int provided;
  double mine, all;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < CELLS; i++)
      cell[i] = rank + step;
#pragma omp parallel num_threads(THREADS)
    sweeps();
    mine = change[0];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("largest change %g\n", all);
  MPI_Finalize();
  return 0;
}
