/* Sends in every way that MPI has, and prints for each function how many bytes
 * are in the send buffers of this rank. Runs on 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS 4

static int rank, ranks;
static struct { const char *call; long bytes; } table[100];
static int calls;
static char out[1 << 16], in[1 << 16];

static void sends(const char *call, long bytes)
{
  int i = 0;
  while (i < calls && strcmp(table[i].call, call) != 0)
    i++;
  if (i == calls)
    table[calls++].call = call;
  table[i].bytes += bytes;
}

static int next(void) { return (rank + 1) % ranks; }
static int before(void) { return (rank + ranks - 1) % ranks; }

static void receive(void)
{
  MPI_Recv(in, sizeof in, MPI_CHAR, before(), MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void point_to_point(void)
{
  MPI_Request r, two[2];
  MPI_Status status;
  MPI_Datatype type;
  static char buffer[4096 + MPI_BSEND_OVERHEAD];
  MPI_Send(out, 10, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Send(out, 1000, MPI_CHAR, next(), 0, MPI_COMM_WORLD);
  sends("MPI_Send", 1000);
  receive();
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(out, 7, MPI_INT, next(), 0, MPI_COMM_WORLD);
  sends("MPI_Bsend", 28);
  receive();
  void *p;
  int n;
  MPI_Buffer_detach(&p, &n);
  MPI_Issend(out, 3, MPI_DOUBLE, next(), 0, MPI_COMM_WORLD, &r);
  sends("MPI_Issend", 24);
  receive();
  MPI_Wait(&r, &status);
  for (int k = 1; k <= 3; k++) { /* the handle of a type may come again */
    MPI_Type_vector(10, k, 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Isend(out, 2, type, next(), 0, MPI_COMM_WORLD, &r);
    sends("MPI_Isend", 2 * 40 * k);
    receive();
    MPI_Wait(&r, &status);
    MPI_Type_free(&type);
  }
  MPI_Send_init(out, 100, MPI_CHAR, next(), 0, MPI_COMM_WORLD, &two[0]);
  MPI_Recv_init(in, 100, MPI_CHAR, before(), 0, MPI_COMM_WORLD, &two[1]);
  for (int k = 0; k < 3; k++) {
    MPI_Start(&two[0]);
    MPI_Start(&two[1]);
    sends("MPI_Start", 100);
    MPI_Wait(&two[0], &status);
    MPI_Wait(&two[1], &status);
  }
  MPI_Startall(2, two);
  sends("MPI_Startall", 100);
  MPI_Wait(&two[0], &status);
  MPI_Wait(&two[1], &status);
  MPI_Request_free(&two[0]);
  MPI_Request_free(&two[1]);
  MPI_Sendrecv(out, 50, MPI_CHAR, next(), 0, in, 50, MPI_CHAR, before(), 0, MPI_COMM_WORLD, &status);
  sends("MPI_Sendrecv", 50);
  MPI_Sendrecv_replace(out, 60, MPI_CHAR, next(), 0, before(), 0, MPI_COMM_WORLD, &status);
  sends("MPI_Sendrecv_replace", 60);
}

static void rooted(void)
{
  int counts[RANKS] = {1, 2, 3, 4}, displs[RANKS] = {0, 1, 3, 6};
  MPI_Bcast(out, 10, MPI_INT, 2, MPI_COMM_WORLD);
  sends("MPI_Bcast", rank == 2 ? 40 : 0);
  MPI_Gather(rank == 1 ? MPI_IN_PLACE : out, 5, MPI_INT, in, 5, MPI_INT, 1, MPI_COMM_WORLD);
  sends("MPI_Gather", rank == 1 ? 0 : 20);
  MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
  sends("MPI_Gatherv", 4 * counts[rank]);
  if (rank == 3)
    MPI_Scatter(out, 6, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 3, MPI_COMM_WORLD);
  else
    MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, in, 6, MPI_INT, 3, MPI_COMM_WORLD);
  sends("MPI_Scatter", rank == 3 ? 4 * 6 * RANKS : 0);
  MPI_Scatterv(out, counts, displs, MPI_INT, in, counts[rank], MPI_INT, 0, MPI_COMM_WORLD);
  sends("MPI_Scatterv", rank == 0 ? 40 : 0);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : out, in, 8, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  sends("MPI_Reduce", 32);
}

static void from_all_to_all(void)
{
  int counts[RANKS] = {1, 2, 3, 4}, displs[RANKS] = {0, 1, 3, 6}, bytes[RANKS] = {0, 4, 12, 24};
  MPI_Datatype types[RANKS] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  int mine[RANKS], at[RANKS], at_bytes[RANKS];
  MPI_Request r;
  MPI_Status status;
  for (int i = 0; i < RANKS; i++) {
    mine[i] = counts[rank];
    at[i] = i * 4;
    at_bytes[i] = i * 16;
  }
  MPI_Allgather(out, 5, MPI_INT, in, 5, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 7, MPI_INT, MPI_COMM_WORLD);
  sends("MPI_Allgather", 20 + 28);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  sends("MPI_Allgatherv", 4 * counts[rank]);
  MPI_Allreduce(MPI_IN_PLACE, in, 9, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  sends("MPI_Allreduce", 72);
  MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, MPI_COMM_WORLD);
  sends("MPI_Alltoall", RANKS * (12 + 8));
  MPI_Alltoallv(out, counts, displs, MPI_INT, in, mine, at, MPI_INT, MPI_COMM_WORLD);
  sends("MPI_Alltoallv", 40);
  MPI_Alltoallw(out, counts, bytes, types, in, mine, at_bytes, types, MPI_COMM_WORLD);
  sends("MPI_Alltoallw", 40);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sends("MPI_Reduce_scatter", 40);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sends("MPI_Reduce_scatter_block", 8 * RANKS);
  MPI_Scan(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sends("MPI_Scan", 8);
  MPI_Exscan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sends("MPI_Exscan", 12);
  MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &r);
  sends("MPI_Ialltoall", 4 * RANKS);
  MPI_Wait(&r, &status);
  MPI_Ibcast(out, 11, MPI_CHAR, 1, MPI_COMM_WORLD, &r);
  sends("MPI_Ibcast", rank == 1 ? 11 : 0);
  MPI_Wait(&r, &status);
}

static void among_neighbours(void)
{
  int dims[1] = {RANKS}, open_ends[1] = {0}, counts[2] = {2, 3}, others[2] = {3, 2}, displs[2] = {0, 4};
  int degree = rank == 0 || rank == RANKS - 1 ? 1 : 2;
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, open_ends, 0, &line);
  MPI_Neighbor_allgather(out, 5, MPI_INT, in, 5, MPI_INT, line);
  sends("MPI_Neighbor_allgather", 20);
  MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
  sends("MPI_Neighbor_alltoall", 12 * degree);
  MPI_Neighbor_alltoallv(out, counts, displs, MPI_INT, in, others, displs, MPI_INT, line);
  sends("MPI_Neighbor_alltoallv", (rank > 0 ? 8 : 0) + (rank < RANKS - 1 ? 12 : 0));
  MPI_Comm_free(&line);
}

static void between_halves(void)
{
  MPI_Comm half, inter;
  int upper = rank >= RANKS / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : RANKS / 2, 5, &inter);
  MPI_Bcast(out, 13, MPI_CHAR, upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  sends("MPI_Bcast", rank == 0 ? 13 : 0);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, inter);
  sends("MPI_Alltoall", 8 * RANKS / 2);
  MPI_Gather(out, 17, MPI_CHAR, in, 17, MPI_CHAR, upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  sends("MPI_Gather", upper ? 17 : 0);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void one_sided(void)
{
  static int window[64], result[64];
  int one = 1, two = 2;
  MPI_Win win;
  MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, 4, MPI_INT, next(), 0, 4, MPI_INT, win);
  MPI_Put(out, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT, win);
  sends("MPI_Put", 16);
  MPI_Get(in, 4, MPI_INT, next(), 8, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(out, 5, MPI_INT, next(), 16, 5, MPI_INT, MPI_SUM, win);
  sends("MPI_Accumulate", 20);
  MPI_Win_fence(0, win);
  MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, win);
  MPI_Fetch_and_op(&one, result, MPI_INT, next(), 32, MPI_SUM, win);
  sends("MPI_Fetch_and_op", 4);
  MPI_Compare_and_swap(&one, &two, result, MPI_INT, next(), 33, win);
  sends("MPI_Compare_and_swap", 8);
  MPI_Get_accumulate(NULL, 0, MPI_INT, result, 3, MPI_INT, next(), 40, 3, MPI_INT, MPI_NO_OP, win);
  MPI_Get_accumulate(out, 3, MPI_INT, result, 3, MPI_INT, next(), 40, 3, MPI_INT, MPI_SUM, win);
  sends("MPI_Get_accumulate", 12);
  MPI_Win_unlock(next(), win);
  MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != RANKS)
    MPI_Abort(MPI_COMM_WORLD, 2);
  point_to_point();
  rooted();
  from_all_to_all();
  among_neighbours();
  between_halves();
  one_sided();
  for (int i = 0; i < calls; i++)
    printf("%d %s %ld\n", rank, table[i].call, table[i].bytes);
  MPI_Barrier(MPI_COMM_WORLD); /* MPICH 4.0 over TCP hangs in MPI_Finalize if ranks come late */
  MPI_Finalize();
  return 0;
}
