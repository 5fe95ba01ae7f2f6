// np: 2
// named: 1
// says: MPI_Barrier
// Two threads of rank 0 look for messages in turn, as MPI_THREAD_SERIALIZED asks for: they are never in MPI at once.
// Rank 1 sends the second message only if it is not told to `hang`.
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int turn, over; /* whose turn it is, and how many need none any more */
static int rank, hang, values[2];

static void take_turn(int which)
{
  for (int spins = 0; atomic_load(&turn) != which && !atomic_load(&over); spins++)
    if (spins % 1000 == 999)
      sched_yield();
}

static void give_turn(int which) { atomic_store(&turn, 1 - which); }

static void *receive(void *arg)
{
  int which = *(int *)arg, done = 0;
  MPI_Request request;
  take_turn(which);
  MPI_Irecv(&values[which], 1, MPI_INT, 1, 5 + which, MPI_COMM_WORLD, &request);
  while (!done) {
    give_turn(which);
    take_turn(which);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  atomic_store(&over, 1);
  return NULL;
}

int main(int argc, char **argv)
{
  int provided, which[2] = {0, 1}, value = 7;
  pthread_t other;
  hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_create(&other, NULL, receive, &which[0]);
    receive(&which[1]);
    pthread_join(other, NULL);
  } else if (rank == 1 && !hang) {
    MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD); // LAGGARD: here
  if (rank == 0)
    printf("values %d %d\n", values[0], values[1]);
  MPI_Finalize();
  return 0;
}
