/* Ranks 1, 4 and 6 hand values round in a ring of three while the others are
 * in a barrier already. "recv": each of the three receives first; "ssend": each
 * sends synchronously first. Both are deadlocks of the three; the others only
 * wait for them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const int ring[3] = {1, 4, 6};
static const char *mode;

static int place(int rank)
{
  for (int i = 0; i < 3; i++)
    if (ring[i] == rank)
      return i;
  return -1;
}

static void recv_first(int *value, int to, int from)
{
  int got;
  MPI_Recv(&got, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here recv */
  MPI_Send(value, 1, MPI_INT, to, 9, MPI_COMM_WORLD);
  *value = got;
}

static void send_first(int *value, int to, int from)
{
  int got;
  MPI_Ssend(value, 1, MPI_INT, to, 9, MPI_COMM_WORLD); /* LAGGARD: here ssend */
  MPI_Recv(&got, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *value = got;
}

static void rotate(int *value, int round, int i)
{
  int to = ring[(i + 1) % 3], from = ring[(i + 2) % 3];
  int faulty = round == 3;
  if (faulty && strcmp(mode, "recv") == 0)
    recv_first(value, to, from);
  else if ((faulty && strcmp(mode, "ssend") == 0) || i > 0)
    send_first(value, to, from);
  else
    recv_first(value, to, from);
}

int main(int argc, char **argv)
{
  int rank, value;
  mode = argc > 1 ? argv[1] : "ok";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  value = rank;
  for (int round = 0; round < 5; round++) {
    if (place(rank) >= 0)
      rotate(&value, round, place(rank));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1)
    printf("value %d\n", value);
  MPI_Finalize();
  return 0;
}
