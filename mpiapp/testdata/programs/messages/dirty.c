// np: 4
// says: rank 2 created the send to rank 3 (dirty.c:@1) and started it 9 times
// says: , while ranks 0-1,3 started those from there up to 10 times
// A ring exchanges its edges with persistent requests. Rank 2 takes an edge that happens to be unchanged for one that need not be sent,
// and does not start that send once. Rank 3 takes the next edge for it, and waits for one that never comes when the others are done.
#include <mpi.h>
#include <string.h>

enum { CELLS = 16, STEPS = 10, RIGHTWARD = 1, LEFTWARD = 2 };

static double cell[CELLS + 2], sent[2];

static void connect(int rank, int size, MPI_Request *r)
{
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Recv_init(&cell[0], 1, MPI_DOUBLE, left, RIGHTWARD, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(&cell[CELLS + 1], 1, MPI_DOUBLE, right, LEFTWARD, MPI_COMM_WORLD, &r[1]);
  MPI_Send_init(&cell[1], 1, MPI_DOUBLE, left, LEFTWARD, MPI_COMM_WORLD, &r[2]);
  MPI_Send_init(&cell[CELLS], 1, MPI_DOUBLE, right, RIGHTWARD, MPI_COMM_WORLD, &r[3]); // LAGGARD: 1
}

static void exchange(MPI_Request *r, int saving)
{
  MPI_Startall(3, r);
  if (!saving || cell[CELLS] != sent[1])
    MPI_Start(&r[3]);
  sent[1] = cell[CELLS];
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void relax(int rank, int step)
{
  for (int i = 1; i <= CELLS; i++)
    cell[i] = 0.5 * cell[i] + 0.25 * (cell[i - 1] + cell[i + 1]) + i + step;
  if (rank == 2 && step == 4)
    cell[CELLS] = sent[1];
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Request r[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sent[1] = -1;
  connect(rank, size, r);
  for (int step = 0; step < STEPS; step++) {
    exchange(r, hang);
    relax(rank, step);
  }
  for (int i = 0; i < 4; i++)
    MPI_Request_free(&r[i]);
  MPI_Finalize();
  return 0;
}
