// np: 4
// says: a message from rank 1 with tag 11 on MPI_COMM_WORLD (ioserver.c:@1) is unreceived at rank 3, which waits for it on
// says: Rank 3 waits for a message from any rank with tag 11 on
// says: 1 message from rank 1 to rank 3 with tag 11 on MPI_COMM_WORLD lies unreceived, sent with MPI_Send in put (ioserver.c:@1)
// A server of files takes the fields of all models in any order, and answers when it has them all. One field goes by the communicator
// that the library was given before it had its own.
#include <mpi.h>
#include <string.h>

enum { cells = 48, field_tag = 11, done_tag = 12 };

struct channel {
  MPI_Comm io;
  int rank, clients;
};

static void put(const struct channel *c, const double *field, MPI_Comm over)
{
  MPI_Send(field, cells, MPI_DOUBLE, c->clients, field_tag, over); // LAGGARD: 1
}

static void await_written(const struct channel *c)
{
  int step;
  MPI_Recv(&step, 1, MPI_INT, c->clients, done_tag, c->io, MPI_STATUS_IGNORE);
}

static void serve(const struct channel *c, int steps)
{
  double field[cells], sum = 0;
  for (int step = 0; step < steps; step++) {
    for (int k = 0; k < c->clients; k++) {
      MPI_Recv(field, cells, MPI_DOUBLE, MPI_ANY_SOURCE, field_tag, c->io, MPI_STATUS_IGNORE);
      sum += field[0];
    }
    for (int k = 0; k < c->clients; k++)
      MPI_Send(&step, 1, MPI_INT, k, done_tag, c->io);
  }
}

static void compute(const struct channel *c, int steps, int stale)
{
  double field[cells];
  for (int step = 0; step < steps; step++) {
    for (int k = 0; k < cells; k++)
      field[k] = c->rank + 0.5 * step;
    put(c, field, c->rank == 1 && step == stale ? MPI_COMM_WORLD : c->io);
    await_written(c);
  }
}

int main(int argc, char **argv)
{
  struct channel c;
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &c.io);
  MPI_Comm_rank(c.io, &c.rank);
  MPI_Comm_size(c.io, &size);
  c.clients = size - 1;
  if (c.rank == c.clients)
    serve(&c, 12);
  else
    compute(&c, 12, hang ? 7 : -1);
  MPI_Comm_free(&c.io);
  MPI_Finalize();
  return 0;
}
