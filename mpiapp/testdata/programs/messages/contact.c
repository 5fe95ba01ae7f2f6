// np: 4
// says: Rank 2 is least progressed
// says: rank 2 never called MPI_Irecv (contact.c:@2), by which ranks 0-1,3 receive such messages
// says: decided at post_receives (contact.c:@1)
// Ranks send the nodes of a surface to all that have main nodes to search. With tied contact the senders do not ask who has some, and a
// rank that has none posts no receives.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 40000, TAG = 1007 };

static int rank, size, main_nodes, remote[16];
static double *nodes, *found;

static int post_receives(MPI_Request *request)
{
  int n = 0;
  if (main_nodes == 0) // LAGGARD: 1
    return 0;
  for (int p = 0; p < size; p++) {
    if (p == rank)
      continue;
    MPI_Irecv(found + p * NODES, NODES, MPI_DOUBLE, p, TAG, MPI_COMM_WORLD, &request[n++]); // LAGGARD: 2
  }
  return n;
}

static int post_sends(int tied, MPI_Request *request)
{
  int n = 0;
  for (int p = 0; p < size; p++)
    if (p != rank && (tied || remote[p] > 0))
      MPI_Isend(nodes, NODES, MPI_DOUBLE, p, TAG, MPI_COMM_WORLD, &request[n++]);
  return n;
}

static void exchange(int tied)
{
  MPI_Request receives[16], sends[16];
  int nr = post_receives(receives), ns = post_sends(tied, sends);
  MPI_Waitall(nr, receives, MPI_STATUSES_IGNORE);
  if (ns > 0)
    MPI_Waitall(ns, sends, MPI_STATUSES_IGNORE);
}

static double penetration(void)
{
  double depth = 0, deepest;
  for (int i = 0; i < main_nodes; i++)
    depth += nodes[i] - found[i];
  MPI_Allreduce(&depth, &deepest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return deepest;
}

int main(int argc, char **argv)
{
  int tied = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  nodes = calloc(NODES, sizeof *nodes);
  found = calloc((size_t)size * NODES, sizeof *found);
  main_nodes = rank == 2 ? 0 : 400 + 10 * rank;
  MPI_Allgather(&main_nodes, 1, MPI_INT, remote, 1, MPI_INT, MPI_COMM_WORLD);
  for (int cycle = 1; cycle <= 12; cycle++) {
    if (cycle % 4 == 0)
      exchange(tied);
    penetration();
  }
  MPI_Finalize();
  free(nodes);
  free(found);
  return 0;
}
