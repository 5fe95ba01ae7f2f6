// np: 4
// odd: 0
// kind: extra
// call: MPI_Barrier 34
// branch: 86
// why: ranks that take no part skip the phases, whose barriers fall together with those behind them

// A benchmark of a file system, in phases that begin and end with a barrier.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CREATE, STAT, REMOVE, PHASES };

typedef struct {
  double start, end;
  long items;
} result_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  int barriers; /* between phases */
  int trees;
  result_t results[PHASES];
} bench_t;

static bench_t bench;

static void phase_begin(int phase)
{
  if (bench.barriers)
    MPI_Barrier(bench.comm);
  bench.results[phase].start = MPI_Wtime();
}

static void phase_end(int phase)
{
  if (bench.barriers)
    MPI_Barrier(bench.comm);
  bench.results[phase].end = MPI_Wtime();
}

static void touch(int phase, int count)
{
  char name[64];
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "%d.%d.%d", bench.rank, phase, i);
    bench.results[phase].items += strlen(name) > 0;
  }
}

static void file_test(void)
{
  phase_begin(CREATE);
  touch(CREATE, 20);
  phase_end(CREATE);
  phase_begin(STAT);
  touch(STAT, 20);
  phase_end(STAT);
}

static void report(void)
{
  result_t *all = NULL;
  if (bench.rank == 0)
    all = malloc(bench.size * sizeof bench.results);
  MPI_Gather(bench.results, sizeof bench.results, MPI_BYTE, all, sizeof bench.results, MPI_BYTE, 0, bench.comm);
  long items = 0;
  for (int i = 0; bench.rank == 0 && i < bench.size * PHASES; i++)
    items += all[i].items;
  MPI_Bcast(&items, 1, MPI_LONG, 0, bench.comm);
  if (bench.rank == bench.size - 1)
    printf("%ld items\n", items);
  free(all);
}

static void iteration(int tasks)
{
  MPI_Barrier(bench.comm);
  if (bench.trees && bench.rank == 0)
    touch(CREATE, bench.trees);
  MPI_Barrier(bench.comm);

  if (bench.rank < tasks) {
    memset(bench.results, 0, sizeof bench.results);
    file_test();
  }

  MPI_Barrier(bench.comm);
  if (bench.trees && bench.rank == 0)
    touch(REMOVE, bench.trees);
  MPI_Barrier(bench.comm);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  bench = (bench_t){.comm = MPI_COMM_WORLD, .barriers = 1, .trees = 3};
  MPI_Comm_rank(bench.comm, &bench.rank);
  MPI_Comm_size(bench.comm, &bench.size);
  /* the mistake: those that take no part are members as well */
  int tasks = argc > 1 && !strcmp(argv[1], "hang") ? 1 : bench.size;
  for (int i = 0; i < 2; i++) {
    iteration(tasks);
    report();
  }
  MPI_Finalize();
  return 0;
}
