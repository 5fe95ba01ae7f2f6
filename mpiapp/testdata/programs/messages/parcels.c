// np: 4
// says: ranks 2-3 wait for each other
// not: went on without
// Parcels move along a ring. Each rank tells the next one first how many come, and sends none if there are none. The one that is at fault
// is the receiver, which waits for them nevertheless.
#include <mpi.h>
#include <string.h>

enum { room = 32 };

struct depot {
  int rank, next, before, checks;
  double out[room], in[room];
};

static int load(const struct depot *d, int step) { return d->rank == 2 ? 9 - step : 20 - step; }

static void forward(struct depot *d, int n)
{
  int come;
  MPI_Sendrecv(&n, 1, MPI_INT, d->next, 1, &come, 1, MPI_INT, d->before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (n > 0)
    MPI_Send(d->out, n, MPI_DOUBLE, d->next, 2, MPI_COMM_WORLD);
  if (come > 0 || !d->checks)
    MPI_Recv(d->in, room, MPI_DOUBLE, d->before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void acknowledge(struct depot *d)
{
  int mine = d->rank, theirs;
  MPI_Send(&mine, 1, MPI_INT, d->before, 3, MPI_COMM_WORLD);
  MPI_Recv(&theirs, 1, MPI_INT, d->next, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  struct depot d = {.rank = 0};
  int size;
  MPI_Init(&argc, &argv);
  d.checks = argc < 2 || strcmp(argv[1], "hang") != 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  d.next = (d.rank + 1) % size;
  d.before = (d.rank + size - 1) % size;
  for (int step = 0; step < 10; step++) {
    forward(&d, load(&d, step));
    acknowledge(&d);
  }
  MPI_Finalize();
  return 0;
}
