// np: 4
// says: Rank 0 is least progressed, of 4 ranks (confidence 0.60
// says: rank 0 may wait for the wrong rank: rank 1 has gone on without sending it the message
// says: a message from rank 2 with tag 1030 (imports.c:@1) is unreceived at rank 0, which waits for one from rank 1 (imports.c:@2)
// Each rank is told how many ranks send it particles, and of whom by a first message. The sizes are kept in the order in which these come,
// while the ranks that it sends to itself are listed first.
#include <mpi.h>
#include <string.h>

enum { PARTICLES = 20, SIZES = 1020, DATA = 1030 };

static int rank, size;

static int plan(const int *sends, int by_position, int *from)
{
  int counts[16] = {0}, senders, neighbours[16], n = 0, imports[16] = {0};
  for (int p = 0; p < size; p++)
    counts[p] = sends[p] > 0;
  MPI_Reduce_scatter_block(counts, &senders, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int p = 0; p < size; p++)
    if (sends[p] > 0) {
      MPI_Send(&sends[p], 1, MPI_INT, p, SIZES, MPI_COMM_WORLD);
      neighbours[n++] = p;
    }
  for (int i = 0; i < senders; i++) {
    int one;
    MPI_Status status;
    MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, SIZES, MPI_COMM_WORLD, &status);
    int at = 0;
    while (at < n && neighbours[at] != status.MPI_SOURCE)
      at++;
    if (at == n)
      neighbours[n++] = status.MPI_SOURCE;
    imports[by_position ? i : at] = one;
  }
  int count = 0;
  for (int i = 0; i < n; i++)
    if (imports[i] > 0)
      from[count++] = neighbours[i];
  return count;
}

static void migrate(const int *sends, const int *from, int count)
{
  double in[16][PARTICLES], out[PARTICLES] = {0};
  MPI_Request requests[16];
  for (int i = 0; i < count; i++)
    MPI_Irecv(in[i], PARTICLES, MPI_DOUBLE, from[i], DATA, MPI_COMM_WORLD, &requests[i]);
  for (int p = 0; p < size; p++)
    if (sends[p] > 0)
      MPI_Send(out, sends[p], MPI_DOUBLE, p, DATA, MPI_COMM_WORLD); // LAGGARD: 1
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); // LAGGARD: 2
}

int main(int argc, char **argv)
{
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 3; step++) {
    int sends[16] = {0}, from[16];
    if (step == 0)
      sends[(rank + 1) % size] = sends[(rank + size - 1) % size] = PARTICLES;
    else if (rank == 0)
      sends[1] = sends[2] = PARTICLES;
    else if (rank == 2)
      sends[0] = PARTICLES;
    migrate(sends, from, plan(sends, hang && step == 1, from));
  }
  MPI_Finalize();
  return 0;
}
