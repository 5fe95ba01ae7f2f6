/* Rank 1 receives what rank 0 sends into a buffer that is too short: truncates HOW. Rank 2's message is not too long. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define SENT 32 /* numbers */
#define ROOM 8

static double numbers[SENT], row[ROOM], column[ROOM];

static void receive_all(int ignored)
{
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  MPI_Irecv(row, ROOM, MPI_DOUBLE, 2, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(column, ROOM, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, ignored ? MPI_STATUSES_IGNORE : statuses);
  printf("%d\n", statuses[0].MPI_TAG);
}

static void receive(const char *how)
{
  MPI_Request request;
  MPI_Status status;
  if (strcmp(how, "recv") == 0)
    MPI_Recv(row, ROOM, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &status);
  else if (strcmp(how, "any") == 0)
    MPI_Recv(row, ROOM, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (strcmp(how, "exchange") == 0)
    MPI_Sendrecv(numbers, 1, MPI_DOUBLE, 2, 3, row, ROOM, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &status);
  else if (strcmp(how, "waitall") == 0 || strcmp(how, "ignored") == 0)
    receive_all(how[0] == 'i');
  MPI_Irecv(row, ROOM, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    MPI_Send(numbers, SENT, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD); /* LAGGARD: sent */
  else if (rank == 2)
    MPI_Send(numbers, ROOM, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1)
    receive(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
