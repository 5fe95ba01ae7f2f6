// np: 4
// named: 2
// cycle: -
// least: 0.60
// ends: yes
// parts: arguments
// A table is broadcast in as many entries as each rank believes there are. Rank 2
// has an old number: MPI finds that its room is too small and ends the job. The
// others went on.
#include <mpi.h>
#include <string.h>

struct table {
  MPI_Comm comm;
  int rank, entries;
  double value[4096];
};

static void share(struct table *t)
{
  MPI_Bcast(t->value, t->entries, MPI_DOUBLE, 0, t->comm); // LAGGARD: here
}

static void grow(struct table *t, int stale)
{
  if (!stale)
    t->entries += 500;
}

int main(int argc, char **argv)
{
  static struct table t;
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &t.comm);
  MPI_Comm_rank(t.comm, &t.rank);
  t.entries = 100;
  for (int step = 0; step < 6; step++) {
    grow(&t, hang && step == 4 && t.rank == 2);
    share(&t);
    MPI_Barrier(t.comm);
  }
  MPI_Comm_free(&t.comm);
  MPI_Finalize();
  return 0;
}
