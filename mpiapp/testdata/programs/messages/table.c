// np: 4
// says: rank 1 has started access to rank 0 7 times, but to rank 3 6 times (table.c:@1)
// says: while rank 3 has posted its window to rank 1 7 times (table.c:@2)
// A table is spread over all ranks. Each exposes its part to all others and adds to theirs. One that has nothing to add to a part leaves
// its owner out of the group to which it starts access, and the owner waits for it.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { entries = 1024, most = 16 };

struct table {
  MPI_Win win;
  MPI_Group all;
  int rank, size, frugal;
  int *part;
};

static MPI_Group others(const struct table *t, const int *wanted)
{
  int ranks[most], n = 0;
  MPI_Group group;
  for (int k = 0; k < t->size; k++)
    if (k != t->rank && (wanted[k] > 0 || !t->frugal))
      ranks[n++] = k;
  MPI_Group_incl(t->all, n, ranks, &group);
  return group;
}

static void expose(const struct table *t)
{
  int everybody[most];
  for (int k = 0; k < t->size; k++)
    everybody[k] = 1;
  MPI_Group readers = others(t, everybody);
  MPI_Win_post(readers, 0, t->win); // LAGGARD: 2
  MPI_Group_free(&readers);
}

static void add(const struct table *t, const int *wanted)
{
  MPI_Group targets = others(t, wanted);
  MPI_Win_start(targets, 0, t->win); // LAGGARD: 1
  for (int k = 0; k < t->size; k++)
    if (k != t->rank && wanted[k] > 0)
      MPI_Put(&t->rank, 1, MPI_INT, k, t->rank, 1, MPI_INT, t->win);
  MPI_Win_complete(t->win);
  MPI_Group_free(&targets);
}

int main(int argc, char **argv)
{
  struct table t;
  MPI_Init(&argc, &argv);
  t.frugal = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &t.size);
  MPI_Comm_group(MPI_COMM_WORLD, &t.all);
  MPI_Alloc_mem(entries * sizeof *t.part, MPI_INFO_NULL, &t.part);
  memset(t.part, 0, entries * sizeof *t.part);
  MPI_Win_create(t.part, entries * sizeof *t.part, sizeof *t.part, MPI_INFO_NULL, MPI_COMM_WORLD, &t.win);
  for (int step = 0; step < 12; step++) {
    int wanted[most], sum;
    for (int k = 0; k < t.size; k++)
      wanted[k] = t.rank == 1 && k == 3 ? 6 - step : 12 - step;
    expose(&t);
    add(&t, wanted);
    MPI_Win_wait(t.win);
    MPI_Allreduce(t.part, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Win_free(&t.win);
  MPI_Free_mem(t.part);
  MPI_Group_free(&t.all);
  MPI_Finalize();
  return 0;
}
