/* Rank 2 ends its process where something is wrong, in functions that a compiler puts into their callers: requires density |
   neighbour | finalize: as density, but finalizes MPI before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELLS 128
#define NEIGHBOURS 8

static double density[CELLS];
static int neighbours[NEIGHBOURS];

static int finalizes;

static void leave(void)
{
  int started;
  MPI_Initialized(&started);
  if (started)
    MPI_Finalize();
}

static void fail(const char *what)
{
  fprintf(stderr, "%s\n", what);
  if (finalizes)
    leave();
  sleep(1); /* the others come to their next call */
  exit(3);
}

static inline void require(int ok, const char *what)
{
  if (!ok) /* LAGGARD: required */
    fail(what);
}

static int find(int id)
{
  for (int i = 0; i < NEIGHBOURS; i++)
    if (neighbours[i] == id) /* LAGGARD: found */
      return i;
  fail("no such neighbour");
  return -1;
}

static void limit(void)
{
  double least = 1;
  for (int i = 0; i < CELLS; i++)
    if (density[i] < least)
      least = density[i];
  require(least >= 0, "a density is negative");
  for (int i = 0; i < CELLS; i++)
    density[i] = 0.9 * density[i] + 0.1;
}

static double advance(void)
{
  double sum = 0;
  limit();
  for (int i = 0; i < CELLS; i++)
    sum += density[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void exchange(int rank, int size)
{
  double sent[2] = {0, 0};
  int to[2] = {(rank + 1) % size, (rank + size - 1) % size};
  for (int k = 0; k < 2; k++)
    sent[k] += find(to[k]);
  MPI_Allreduce(MPI_IN_PLACE, sent, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int rank, size;
  double sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  finalizes = strcmp(argv[1], "finalize") == 0;
  for (int i = 0; i < CELLS; i++)
    density[i] = 1;
  for (int i = 0; i < NEIGHBOURS; i++)
    neighbours[i] = i;
  for (int step = 0; step < 9; step++) {
    if (rank == 2 && step == 4 && strcmp(argv[1], "neighbour") != 0)
      density[77] = -1;
    if (rank == 2 && step == 4 && strcmp(argv[1], "neighbour") == 0)
      neighbours[1] = 99;
    sum += advance();
    exchange(rank, size);
  }
  printf("%g\n", sum);
  MPI_Finalize();
  return 0;
}
