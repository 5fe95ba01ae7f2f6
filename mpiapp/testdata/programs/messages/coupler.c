// np: 4
// says: Rank 2 waits for message 1 from rank 0 with tag 5 on
// says: 1 message from rank 0 to rank 2 with tag 5 on MPI_COMM_WORLD lies unreceived, sent with MPI_Send in export (coupler.c:@1)
// Two models are coupled on a communicator of both; one still sends on the communicator that it was given first.
#include <mpi.h>
#include <string.h>

struct model {
  MPI_Comm both, given;
  int rank;
  double flux[32];
};

static void export(struct model *m)
{
  if (m->rank == 0)
    MPI_Send(m->flux, 32, MPI_DOUBLE, 2, 5, m->given); // LAGGARD: 1
}

static void import(struct model *m)
{
  if (m->rank == 2)
    MPI_Recv(m->flux, 32, MPI_DOUBLE, 0, 5, m->both, MPI_STATUS_IGNORE);
}

static void step(struct model *m)
{
  double sum;
  export(m);
  import(m);
  MPI_Allreduce(m->flux, &sum, 1, MPI_DOUBLE, MPI_SUM, m->both);
}

int main(int argc, char **argv)
{
  struct model m = {.flux = {1}};
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &m.both);
  m.given = hang ? MPI_COMM_WORLD : m.both;
  for (int k = 0; k < 3; k++)
    step(&m);
  MPI_Finalize();
  return 0;
}
