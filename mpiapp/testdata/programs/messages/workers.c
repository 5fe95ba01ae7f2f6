// np: 4
// says: Rank 3 waits for message 1 from rank 0 with tag 2 on MPI_COMM_WORLD, which was not sent
// says: Rank 0 sent a message each to ranks 1-2 with MPI_Send in master (workers.c:@1), but none to rank 3
// not: decided at
// says: Rank 0 is in MPI_Barrier in main (workers.c:@2)
// Work is dealt out until there is none; the master forgets to stop a worker that got none in the last round.
#include <mpi.h>
#include <string.h>

enum { WORK = 1, STOP = 2 };

static void master(int size, int units, int forgetful)
{
  int busy = 0, next = 0, done[64] = {0};
  while (next < units || busy) {
    for (int w = 1; w < size && next < units; w++, busy++, next++)
      MPI_Send(&next, 1, MPI_INT, w, WORK, MPI_COMM_WORLD);
    for (; busy; busy--) {
      int result;
      MPI_Status s;
      MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD, &s);
      done[s.MPI_SOURCE] = result + 1;
    }
  }
  for (int w = 1; w < size; w++)
    if (!forgetful || done[w] > units - size + 2)
      MPI_Send(&units, 1, MPI_INT, w, STOP, MPI_COMM_WORLD); // LAGGARD: 1
}

static void worker(int rank, int size, int units)
{
  int unit;
  for (int k = rank - 1; k < units; k += size - 1) {
    MPI_Recv(&unit, 1, MPI_INT, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&unit, 1, MPI_INT, 0, WORK, MPI_COMM_WORLD);
  }
  MPI_Recv(&unit, 1, MPI_INT, 0, STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank, size, hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    master(size, 11, hang);
  else
    worker(rank, size, 11);
  MPI_Barrier(MPI_COMM_WORLD); // LAGGARD: 2
  MPI_Finalize();
  return 0;
}
