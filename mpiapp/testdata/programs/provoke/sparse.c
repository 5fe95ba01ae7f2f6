/* Each rank sends to a few others, which do not know of whom. As "race" messages are taken
 * to have arrived when all ranks have passed a barrier; as "right" each sender waits for
 * its receiver (Hoefler and others, PPoPP 2010). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6 };

static int take_message(int tag)
{
  int there, value;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
  if (!there)
    return 0;
  MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
  return 1;
}

static int exchange_at_barrier(const int *to, int n, int tag)
{
  MPI_Request sends[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int got = 0, value = tag;
  for (int i = 0; i < n; i++)
    MPI_Isend(&value, 1, MPI_INT, to[i], tag, MPI_COMM_WORLD, &sends[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  while (take_message(tag))
    got++;
  MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
  return got;
}

static int exchange_by_consensus(const int *to, int n, int tag)
{
  MPI_Request sends[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, all = MPI_REQUEST_NULL;
  int got = 0, value = tag, sent = 0, done = 0;
  for (int i = 0; i < n; i++)
    MPI_Issend(&value, 1, MPI_INT, to[i], tag, MPI_COMM_WORLD, &sends[i]);
  while (!done) {
    got += take_message(tag);
    if (sent) {
      MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    } else {
      MPI_Testall(n, sends, &sent, MPI_STATUSES_IGNORE);
      if (sent)
        MPI_Ibarrier(MPI_COMM_WORLD, &all);
    }
  }
  return got;
}

int main(int argc, char **argv)
{
  int rank, ranks, total = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int round = 0; round < ROUNDS; round++) {
    int to[2] = {(rank + 1 + round) % ranks, (rank + 2 + round) % ranks}, n = 0;
    for (int i = 0; i < 2; i++)
      if (to[i] != rank)
        to[n++] = to[i];
    total += strcmp(argv[1], "race") == 0 ? exchange_at_barrier(to, n, round) : exchange_by_consensus(to, n, round);
  }
  MPI_Reduce(&total, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("messages %d\n", all);
  MPI_Finalize();
  return 0;
}
