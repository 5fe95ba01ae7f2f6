/* Collectives among the neighbours of a topology: a row of a grid ("cart"), a
 * ring as a graph ("graph"), a ring of which every rank names its own neighbours
 * ("dist"). Rank 5 is lost in the fourth step. With "cross" ranks 2 and 3 each
 * wait for the other, the one among neighbours, the other for a message. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 5

static int rank, size, cross;

static int settle(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (5 * x + 3) % 101;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

/* The rows of a grid of two, each a line without ends joined. */
static MPI_Comm grid(void)
{
  MPI_Comm all, row;
  int dims[2] = {2, size / 2}, open[2] = {0, 0}, keep[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open, 0, &all);
  MPI_Cart_sub(all, keep, &row);
  MPI_Comm_free(&all);
  return row;
}

static MPI_Comm graph(void)
{
  MPI_Comm ring;
  int index[64], edges[128];
  for (int i = 0; i < size; i++) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
  return ring;
}

static MPI_Comm adjacent(void)
{
  MPI_Comm ring, again;
  int both[2] = {(rank + size - 1) % size, (rank + 1) % size};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  MPI_Comm_dup(ring, &again); /* has the neighbours of the first */
  MPI_Comm_free(&ring);
  return again;
}

/* Everybody is heard by the rank below only. */
static MPI_Comm one_way(void)
{
  MPI_Comm ring;
  int to = (rank + size - 1) % size, one = 1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  return ring;
}

static int exchange(MPI_Comm near, int x, int nonblocking)
{
  int in[8] = {0}, out[8];
  MPI_Request r;
  for (int i = 0; i < 8; i++)
    out[i] = x;
  if (nonblocking) {
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, near, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    MPI_Neighbor_allgather(&x, 1, MPI_INT, in, 1, MPI_INT, near); /* LAGGARD: here cross */
  }
  return (in[0] + in[1] + x) % 1000;
}

/* Rank 2 gives up its word only after the exchange for which rank 3 must come. */
static int ask(int step)
{
  int word = 0;
  if (cross && step == 2 && rank == 3)
    MPI_Recv(&word, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here cross */
  return word;
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int x, sum = 0;
  MPI_Comm near;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  cross = strcmp(mode, "cross") == 0;
  int hang = !cross && strcmp(mode, "ok") != 0;
  near = strcmp(mode, "cart") == 0 ? grid() : strcmp(mode, "graph") == 0 ? graph() : strcmp(mode, "dist") == 0 ? adjacent() : one_way();
  x = rank;
  for (int step = 0; step < 6; step++) {
    x = settle(x, hang && rank == VICTIM && step == 3 ? -1 : 50);
    x += ask(step);
    x = exchange(near, x, strcmp(mode, "graph") == 0);
  }
  MPI_Reduce(&x, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Comm_free(&near);
  MPI_Finalize();
  return 0;
}
