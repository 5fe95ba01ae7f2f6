/* A correct program that completes requests in every way that MPI has, with messages shorter than their buffers and data
 * that is not contiguous. Ranks work in pairs; what is not part of a message must stay as it was. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 10, WAYS = 9, UNTOUCHED = 77 };

static int wrong;

static void check(int right, const char *what)
{
  if (!right)
    fprintf(stderr, "wrong: %s\n", what);
  wrong |= !right;
}

/* complete completes two requests in one of the ways. */
static void complete(MPI_Request *requests, int way)
{
  int done = 0, at, flag = 0, indices[2];
  MPI_Status statuses[2];
  switch (way) {
  case 0: MPI_Wait(&requests[0], MPI_STATUS_IGNORE); MPI_Wait(&requests[1], &statuses[0]); return;
  case 1: MPI_Waitall(2, requests, statuses); return;
  case 2: for (; done < 2; done++) MPI_Waitany(2, requests, &at, MPI_STATUS_IGNORE); return;
  case 3: while (done < 2) { MPI_Waitsome(2, requests, &at, indices, statuses); done += at; } return;
  case 4: for (; done < 2; done++) for (flag = 0; !flag;) MPI_Test(&requests[done], &flag, MPI_STATUS_IGNORE); return;
  case 5: while (!flag) MPI_Testall(2, requests, &flag, statuses); return;
  case 6: for (; done < 2; done += flag) MPI_Testany(2, requests, &at, &flag, MPI_STATUS_IGNORE); return;
  case 7: while (done < 2) { MPI_Testsome(2, requests, &at, indices, statuses); done += at; } return;
  case 8: /* also those that are null by then */
    while (requests[0] != MPI_REQUEST_NULL || requests[1] != MPI_REQUEST_NULL)
      for (at = 0; at < 2; at++)
        MPI_Test(&requests[at], &flag, MPI_STATUS_IGNORE);
    return;
  }
}

/* exchange has both ranks of a pair send the first `sent` numbers of every second one. */
static void exchange(int peer, int way, int sent)
{
  int out[2 * MOST], in[2 * MOST];
  MPI_Datatype pairs;
  MPI_Request requests[2];
  for (int i = 0; i < 2 * MOST; i++) {
    out[i] = i;
    in[i] = UNTOUCHED;
  }
  MPI_Type_vector(MOST, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Irecv(in, 1, pairs, peer, way, MPI_COMM_WORLD, &requests[0]);
  MPI_Type_free(&pairs);
  MPI_Isend(out, sent, MPI_INT, peer, way, MPI_COMM_WORLD, &requests[1]);
  complete(requests, way);
  check(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "a request is not null");
  for (int i = 0; i < 2 * MOST; i++)
    check(in[i] == (i % 2 == 0 && i / 2 < sent ? i / 2 : UNTOUCHED), "a number");
}

/* overtake sends twice, of which the first begins late, if at all. */
static void overtake(int rank, int peer)
{
  int out[2] = {1, 2}, in[2], flag = 0;
  MPI_Request first, receive;
  MPI_Irecv(&in[0], 1, MPI_INT, peer, 20, MPI_COMM_WORLD, &receive);
  MPI_Isend(&out[0], 1, MPI_INT, peer, 20, MPI_COMM_WORLD, &first);
  if (rank < peer)
    MPI_Send(&out[1], 1, MPI_INT, peer, 20, MPI_COMM_WORLD);
  MPI_Recv(&in[1], 1, MPI_INT, peer, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > peer)
    MPI_Send(&out[1], 1, MPI_INT, peer, 20, MPI_COMM_WORLD);
  while (!flag)
    MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE);
  check(in[0] == 1 && in[1] == 2, "the order");
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
}

/* give_up frees a send and cancels a receive. */
static void give_up(int peer)
{
  int out = 5, in = UNTOUCHED, cancelled;
  MPI_Request request;
  MPI_Status status;
  MPI_Isend(&out, 1, MPI_INT, peer, 30, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Recv(&in, 1, MPI_INT, peer, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(in == 5, "a send whose request was freed");
  MPI_Barrier(MPI_COMM_WORLD);
  in = UNTOUCHED;
  MPI_Irecv(&in, 1, MPI_INT, peer, 31, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  check(cancelled && in == UNTOUCHED, "a receive that was cancelled");
}

/* repeat uses persistent requests, whose messages become shorter. */
static void repeat(int peer)
{
  int out[MOST], in[MOST];
  MPI_Request requests[2];
  MPI_Recv_init(in, MOST, MPI_INT, peer, 40, MPI_COMM_WORLD, &requests[0]);
  for (int n = MOST; n > 0; n--) {
    for (int i = 0; i < MOST; i++) {
      out[i] = n;
      in[i] = UNTOUCHED;
    }
    MPI_Send_init(out, n, MPI_INT, peer, 40, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[1]);
    for (int i = 0; i < MOST; i++)
      check(in[i] == (i < n ? n : UNTOUCHED), "a number of a persistent receive");
  }
  MPI_Request_free(&requests[0]);
}

/* overlap receives into buffers that would overlap if the messages were as long as they may be. */
static void overlap(int peer)
{
  int out[2] = {8, 9}, in[MOST + 1] = {0};
  MPI_Request requests[4];
  for (int k = 0; k < 2; k++)
    MPI_Irecv(&in[k], MOST, MPI_INT, peer, 50 + k, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 2; k++)
    MPI_Isend(&out[k], 1, MPI_INT, peer, 51 - k, MPI_COMM_WORLD, &requests[2 + k]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE);
  check(in[0] == 9 && in[1] == 8 && in[2] == 0, "buffers that overlap");
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int peer = rank ^ 1;
  if (ranks % 2 == 0) {
    for (int round = 0; round < 3 * WAYS; round++)
      exchange(peer, round % WAYS, round % (MOST + 1));
    overtake(rank, peer);
    give_up(peer);
    repeat(peer);
    overlap(peer);
  }
  MPI_Finalize();
  return wrong;
}
