// np: 3
// named: 2
// ends: yes
// says: died of SIG
// says: fill
// An OpenMP thread other than the first writes far beyond its histogram at rank 2 (LAGGARD: here) and the
// process dies by a segmentation fault, or a bus error where it meets a shared file beyond its end; the other ranks wait in MPI_Allreduce.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, BINS = 64, SAMPLES = 3000, STEPS = 10 };

static int rank, hang;

static void fill(long *bins, const double *samples, int from, int to)
{
  for (int i = from; i < to; i++)
    bins[(long)samples[i]]++; /* LAGGARD: here */
}

static void count(long *all, const double *samples)
{
#pragma omp parallel num_threads(THREADS)
  {
    int me = omp_get_thread_num(), share = SAMPLES / THREADS;
    long *mine = calloc(BINS, sizeof *mine);
    fill(mine, samples, me * share, (me + 1) * share);
#pragma omp critical
    for (int b = 0; b < BINS; b++)
      all[b] += mine[b];
    free(mine);
  }
}

int main(int argc, char **argv)
{
  int provided;
  long bins[BINS] = {0}, sums[BINS];
  static double samples[SAMPLES];
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < SAMPLES; i++)
      samples[i] = (i * 7 + step) % BINS;
    if (hang && rank == 2 && step == 7)
      samples[SAMPLES - 10] = 1e10;
    count(bins, samples);
    MPI_Allreduce(bins, sums, BINS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("first bin %ld\n", sums[0]);
  MPI_Finalize();
  return 0;
}
