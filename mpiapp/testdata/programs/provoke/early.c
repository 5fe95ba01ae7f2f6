/* Ranks exchange blocks in a ring with nonblocking calls. As "race" they use the blocks that came before the receive is
 * complete, since a barrier says that they were sent; as "write" they write the next ones before the send is complete, as
 * "again" likewise with persistent requests, as "order" they rely on the order in which persistent requests are started, as "right"
 * on nothing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, STEPS = 5 };

static double sum_of(const double *block)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += block[i];
  return sum;
}

/* exchange sends out to the right and receives in from the left; the sum of what came, as the program sees it. */
static double exchange(double *out, double *in, int reads, int writes)
{
  MPI_Request requests[2];
  MPI_Status statuses[2];
  double early = 0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Irecv(in, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, N, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  if (writes)
    out[0] = -1;
  if (reads) {
    MPI_Barrier(MPI_COMM_WORLD);
    early = sum_of(in);
  }
  MPI_Waitall(2, requests, statuses);
  return reads ? early : sum_of(in);
}

/* exchange_again does so with persistent requests. */
static double exchange_again(double *out, double *in)
{
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Recv_init(in, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, N, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  out[0] = -1;
  MPI_Waitall(2, requests, statuses);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return sum_of(in);
}

/* exchange_in_order sends 2 and then 3; whether they came so. */
static int exchange_in_order(void)
{
  double out[2] = {2, 3}, in[2];
  MPI_Request requests[4];
  MPI_Status statuses[4];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 2; i++) {
    MPI_Recv_init(&in[i], 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[2 + i]);
  }
  MPI_Startall(4, requests);
  MPI_Waitall(4, requests, statuses);
  for (int i = 0; i < 4; i++)
    MPI_Request_free(&requests[i]);
  return in[0] == 2 && in[1] == 3;
}

int main(int argc, char **argv)
{
  int wrong = 0;
  double out[N], in[N];
  MPI_Init(&argc, &argv);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < N; i++) {
      out[i] = 1;
      in[i] = 0;
    }
    if (strcmp(argv[1], "order") == 0)
      wrong |= !exchange_in_order();
    else if (strcmp(argv[1], "again") == 0)
      wrong |= exchange_again(out, in) != N;
    else
      wrong |= exchange(out, in, strcmp(argv[1], "race") == 0, strcmp(argv[1], "write") == 0) != N;
  }
  if (wrong)
    fprintf(stderr, "a block was wrong\n");
  MPI_Finalize();
  return wrong;
}
