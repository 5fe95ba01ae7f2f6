// np: 8
// odd: 5
// kind: arguments
// call: MPI_Bcast 35
// branch: -
// why: rank 5 takes the first rank of its group for the leader, the others the second one, which is rank 5 itself

// Groups of four ranks, each with a leader that tells the others how far to go.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define GROUP 4

typedef struct {
  MPI_Comm comm;
  int leader; /* its rank in the group */
  double reach;
} group_t;

static void group_make(group_t *g, int rank, int hang)
{
  MPI_Comm_split(MPI_COMM_WORLD, rank / GROUP, rank, &g->comm);
  g->leader = 1;
  if (hang && rank == 5)
    g->leader = 0;
  g->reach = rank;
}

static void group_step(group_t *g)
{
  double mine = g->reach;
  MPI_Allreduce(&mine, &g->reach, 1, MPI_DOUBLE, MPI_MAX, g->comm);
  g->reach = 0.5 * (mine + g->reach);
  MPI_Bcast(&g->reach, 1, MPI_DOUBLE, g->leader, g->comm);
  MPI_Barrier(g->comm);
}

int main(int argc, char **argv)
{
  group_t group;
  int rank, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  group_make(&group, rank, hang);
  for (int step = 0; step < 10; step++)
    group_step(&group);
  if (rank == 0)
    printf("reach %g\n", group.reach);
  MPI_Comm_free(&group.comm);
  MPI_Finalize();
  return 0;
}
