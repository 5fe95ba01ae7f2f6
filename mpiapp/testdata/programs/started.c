/* Persistent sends of a mode. With "ssend" ranks 1 and 4 start one to each other
 * and complete it before they receive. With "bsend" their sends are buffered, and
 * each then waits for a message that is never sent. With "detach" rank 1 buffers
 * a long message and gives up the buffer, while rank 4 waits for another one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG 300000

static int rank;

static void swap(int other, MPI_Request send, int *in)
{
  MPI_Start(&send);
  MPI_Wait(&send, MPI_STATUS_IGNORE); /* LAGGARD: here ssend */
  MPI_Recv(in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void expect(int other, int *in)
{
  MPI_Recv(in, 1, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LAGGARD: here last */
}

static void give_up(int rank, int other, int *in)
{
  static int longest[LONG];
  int room;
  void *buffer;
  if (rank == 1) {
    MPI_Bsend(longest, LONG, MPI_INT, other, 4, MPI_COMM_WORLD);
    MPI_Buffer_detach(&buffer, &room); /* LAGGARD: here detach */
  }
  expect(other, in);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int x, in = 0, sum = 0, room = 4 * (MPI_BSEND_OVERHEAD + LONG);
  char *buffer = malloc(room);
  MPI_Request send;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Buffer_attach(buffer, room);
  x = rank;
  if (rank == 1 || rank == 4) {
    int other = 5 - rank;
    if (strcmp(mode, "ssend") == 0)
      MPI_Ssend_init(&x, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &send);
    else
      MPI_Bsend_init(&x, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &send);
    swap(other, send, &in);
    if (strcmp(mode, "bsend") == 0)
      expect(other, &in);
    if (strcmp(mode, "detach") == 0)
      give_up(rank, other, &in);
    MPI_Request_free(&send);
  }
  MPI_Reduce(&in, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Buffer_detach(&buffer, &room);
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
