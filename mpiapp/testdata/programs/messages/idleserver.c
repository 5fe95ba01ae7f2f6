// np: 4
// says: (confidence 0.50
// not: such as no rank has sent
// Rank 3 writes what the others ask it to, until they send it an order to stop. They fail before they asked for anything, and forget it.
#include <mpi.h>
#include <string.h>

enum { WRITE = 1, STOP = 2, ORDER = 40 };

static void serve(void)
{
  int order = 0;
  while (order != STOP)
    MPI_Recv(&order, 1, MPI_INT, 0, ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void stop_server(int server)
{
  int order = STOP;
  MPI_Send(&order, 1, MPI_INT, server, ORDER, MPI_COMM_WORLD);
}

static int compute(MPI_Comm comm, int unstable)
{
  int failed = unstable, any = 0;
  for (int i = 0; i < 5; i++)
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
  return any;
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &part);
  if (rank == size - 1)
    serve();
  else if (compute(part, hang) == 0 && rank == 0)
    stop_server(size - 1);
  MPI_Comm_free(&part);
  MPI_Finalize();
  return 0;
}
