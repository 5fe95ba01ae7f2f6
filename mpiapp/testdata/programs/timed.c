/* Iterations of one rank: it computes for 2 ms, sends to itself, and writes 200 KB. Says how long one took in the first second
 * and in the last: the least time, and the mean time of the processor, in microseconds. */
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double clock_now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void compute(double seconds)
{
  double end = clock_now(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (clock_now(CLOCK_THREAD_CPUTIME_ID) < end)
    ;
}

static void iterate(int file)
{
  static char block[200000];
  int out = 1, in = 0;
  compute(0.002);
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (pwrite(file, block, sizeof block, 0) != sizeof block)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void measure(const char *when, int file, double seconds)
{
  double begin = clock_now(CLOCK_MONOTONIC), cpu = clock_now(CLOCK_THREAD_CPUTIME_ID), least = 1e9, before, now = begin;
  int n = 0;
  for (; now - begin < seconds; n++) {
    before = now;
    iterate(file);
    now = clock_now(CLOCK_MONOTONIC);
    if (now - before < least)
      least = now - before;
  }
  if (when)
    printf("%s %.0f %.0f\n", when, least * 1e6, (clock_now(CLOCK_THREAD_CPUTIME_ID) - cpu) / n * 1e6);
}

int main(int argc, char **argv)
{
  char name[] = "/tmp/timed-XXXXXX";
  MPI_Init(&argc, &argv);
  int file = mkstemp(name);
  if (file < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  unlink(name);
  measure("before", file, 1);
  measure(NULL, file, atof(argv[1]));
  measure("after", file, 1);
  MPI_Finalize();
  return 0;
}
