// np: 6
// says: because: rank 1 waits for data from rank 4 in MPI_Neighbor_alltoall (zones.c:@1), but rank 4 does not list rank 1 as a
// says: as a destination of the communicator of ranks 0-5 from MPI_Dist_graph_create_adjacent (zones.c:@2)
// not: the MPI library or the network may be at fault
// Zones of a mesh in two rows exchange what is at their borders. Each rank finds by itself whom it touches, and one forgets to give to the
// zone in the other row.
#include <mpi.h>
#include <string.h>

#define LINKS 4

struct zone {
  int rank, columns, row, column;
  int from[LINKS], nfrom, to[LINKS], nto;
  double in[LINKS], out[LINKS], level;
  MPI_Comm border;
};

static void link_zones(struct zone *z, int row, int column, int gives)
{
  if (row < 0 || row > 1 || column < 0 || column >= z->columns)
    return;
  int other = row * z->columns + column;
  z->from[z->nfrom++] = other;
  if (gives)
    z->to[z->nto++] = other;
}

static void find_borders(struct zone *z, int forgets)
{
  link_zones(z, z->row, z->column - 1, 1);
  link_zones(z, z->row, z->column + 1, 1);
  link_zones(z, 1 - z->row, z->column, !(forgets && z->rank == 4));
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, z->nfrom, z->from, MPI_UNWEIGHTED, z->nto, z->to, MPI_UNWEIGHTED, // LAGGARD: 2
                                 MPI_INFO_NULL, 0, &z->border);
}

static void exchange(struct zone *z)
{
  for (int i = 0; i < z->nto; i++)
    z->out[i] = z->level;
  MPI_Neighbor_alltoall(z->out, 1, MPI_DOUBLE, z->in, 1, MPI_DOUBLE, z->border); // LAGGARD: 1
  for (int i = 0; i < z->nfrom; i++)
    z->level += 0.1 * (z->in[i] - z->level);
}

int main(int argc, char **argv)
{
  static struct zone z;
  int size;
  double most;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &z.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  z.columns = size / 2;
  z.row = z.rank / z.columns;
  z.column = z.rank % z.columns;
  z.level = z.rank;
  find_borders(&z, argc > 1 && strcmp(argv[1], "hang") == 0);
  for (int step = 0; step < 5; step++) {
    exchange(&z);
    MPI_Allreduce(&z.level, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&z.border);
  MPI_Finalize();
  return 0;
}
