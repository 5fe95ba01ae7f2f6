// np: 4
// says: Rank 0 waits for message 3 from rank 2 with tag 40 on MPI_COMM_WORLD, which was not sent
// says: Rank 2 sent 3 messages to rank 3 with MPI_Send in migrate (sparse.c:@1), but only 2 to rank 0
// says: Rank 2 is in MPI_Barrier in main (sparse.c:@3)
// says: decided at migrate (sparse.c:@2)
// Migration of particles between neighbours that are fixed: a rank with none to give sends nothing, and is waited for.
#include <mpi.h>
#include <string.h>

struct domain {
  int rank, size, nneighbours, neighbours[2];
  int leaving[2];
  double buffer[64];
};

static void migrate(struct domain *d)
{
  MPI_Request r[2];
  double in[2][64];
  for (int k = 0; k < d->nneighbours; k++)
    MPI_Irecv(in[k], 64, MPI_DOUBLE, d->neighbours[k], 40, MPI_COMM_WORLD, &r[k]);
  for (int k = 0; k < d->nneighbours; k++) {
    if (d->leaving[k] == 0) // LAGGARD: 2
      continue;
    MPI_Send(d->buffer, d->leaving[k], MPI_DOUBLE, d->neighbours[k], 40, MPI_COMM_WORLD); // LAGGARD: 1
  }
  MPI_Waitall(d->nneighbours, r, MPI_STATUSES_IGNORE);
}

static void move(struct domain *d, int step, int still)
{
  for (int k = 0; k < d->nneighbours; k++)
    d->leaving[k] = step >= 2 && d->neighbours[k] == 0 && d->rank == still ? 0 : 3 + step;
}

int main(int argc, char **argv)
{
  struct domain d = {.nneighbours = 2};
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &d.size);
  d.neighbours[0] = (d.rank + 2) % d.size; // pairs across, then beside
  d.neighbours[1] = d.rank ^ 1;
  for (int step = 0; step < 4; step++) {
    move(&d, step, hang ? 2 : -1);
    migrate(&d);
    MPI_Barrier(MPI_COMM_WORLD); // LAGGARD: 3
  }
  MPI_Finalize();
  return 0;
}
