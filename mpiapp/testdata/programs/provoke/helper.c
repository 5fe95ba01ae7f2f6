/* A correct program with two threads: what one begins, another completes or answers. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, peer, in, out, wrong;
static MPI_Request requests[2];

static void *answer(void *nothing)
{
  int got;
  MPI_Recv(&got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong |= got != peer;
  return nothing;
}

static void *complete(void *nothing)
{
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  wrong |= in != peer;
  return nothing;
}

int main(int argc, char **argv)
{
  int level;
  pthread_t other;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = rank ^ 1;
  out = rank;
  MPI_Isend(&out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
  pthread_create(&other, NULL, answer, NULL);
  pthread_join(other, NULL);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[1]);
  pthread_create(&other, NULL, complete, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_join(other, NULL);
  MPI_Finalize();
  if (wrong)
    fprintf(stderr, "rank %d: wrong\n", rank);
  return wrong;
}
